from tests.web.conftest import clock, moto_url, oauth_state

__all__ = ["clock", "moto_url", "oauth_state"]
