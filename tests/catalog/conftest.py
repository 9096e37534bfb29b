"""Catalogs are kept in both emulators."""

from tests.fixtures.dynamodb import dynamodb, dynamodb_client, open_here

__all__ = ["dynamodb", "dynamodb_client", "open_here"]
