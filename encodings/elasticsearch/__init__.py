"""Replication of one shard between a primary and its replicas, as Elasticsearch does it.

One module a section of replication.tla (elastic/elasticsearch-formal-models): the constants and
their bounds, the cluster state, the translog, the messages, and the actions; no property belongs
here.
"""

from bmc.encodings.elasticsearch.replication import ElasticsearchReplication

__all__ = ["ElasticsearchReplication"]
