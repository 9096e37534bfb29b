"""The one logger. Structured by Powertools in Lambda and on the local server alike; never an event body."""

from aws_lambda_powertools import Logger

logger = Logger(service="connecta")
