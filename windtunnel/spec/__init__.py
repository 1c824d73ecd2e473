"""What somebody submits: a campaign file, checked against what a simulator offers."""

from windtunnel.spec.campaign import Axis, AxisValue, Campaign, RunLimits, read_campaign
from windtunnel.spec.document import Document, read_json, read_yaml
from windtunnel.spec.resolver import Resolution, Resolver
from windtunnel.spec.schema import published_schema

__all__ = [
    "Axis",
    "AxisValue",
    "Campaign",
    "Document",
    "Resolution",
    "Resolver",
    "RunLimits",
    "published_schema",
    "read_campaign",
    "read_json",
    "read_yaml",
]
