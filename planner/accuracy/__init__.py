"""The product's own error, on every measured run it ships."""
