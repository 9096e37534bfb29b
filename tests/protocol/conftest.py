from tests.fixtures.endpoint import client, service

__all__ = ["client", "service"]
