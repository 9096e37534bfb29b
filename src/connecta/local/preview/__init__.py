"""A page for people who build views: a real MCP Apps host beside the local server. Never part of what is deployed."""
