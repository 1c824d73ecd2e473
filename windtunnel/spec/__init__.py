"""What somebody submits: a campaign file, checked against what a simulator offers."""

from windtunnel.spec.axes import Axis, AxisValue
from windtunnel.spec.campaign import Campaign, RunLimits, read_campaign
from windtunnel.spec.document import Document
from windtunnel.spec.json_reader import read_json
from windtunnel.spec.resolver import Resolution, Resolver
from windtunnel.spec.schema import published_schema
from windtunnel.spec.yaml_reader import read_yaml

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
