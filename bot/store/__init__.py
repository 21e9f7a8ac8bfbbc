"""What a team leaves with Muat: questions behind buttons, settings, events already answered.

One code path for SQLite (a file beside the catalog, the default) and PostgreSQL
(`MUAT_DATABASE_URL`). Calls are short and synchronous: on an event loop they go through
`asyncio.to_thread`.
"""
