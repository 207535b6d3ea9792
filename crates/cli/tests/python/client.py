"""The Python client's dynamic client and its watch, against the server that KUBECONFIG names."""

import threading

from kubernetes import client, config, dynamic, watch
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError, UnprocessibleEntityError

GROUP = "shelf.example.com"
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"books.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "books", "singular": "book", "kind": "Book"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["title"],
                                "properties": {
                                    "title": {"type": "string", "minLength": 1},
                                    "copies": {"type": "integer", "default": 1, "minimum": 0},
                                },
                            }
                        },
                    }
                },
            }
        ],
    },
}


def book(name, **spec):
    return {"apiVersion": f"{GROUP}/v1", "kind": "Book", "metadata": {"name": name}, "spec": spec}


def wait_until_served(api):
    definitions = api.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    definitions.create(body=DEFINITION)
    for event in definitions.watch(name=DEFINITION["metadata"]["name"], timeout=10):
        conditions = event["object"].to_dict().get("status", {}).get("conditions") or []
        if any(it["type"] == "Established" and it["status"] == "True" for it in conditions):
            return
    raise AssertionError("the definition was not established")


def refused(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was expected")


def main():
    api_client = config.new_client_from_config()
    api = dynamic.DynamicClient(api_client)
    wait_until_served(api)
    api.resources.invalidate_cache()
    books = api.resources.get(api_version=f"{GROUP}/v1", kind="Book")

    made = books.create(body=book("rust", title="Rust"), namespace="default")
    assert made.spec.copies == 1, "the default was not set"
    error = refused(UnprocessibleEntityError, lambda: books.create(body=book("empty", title=""), namespace="default"))
    assert "spec.title" in error.summary(), error.summary()
    refused(ConflictError, lambda: books.create(body=book("rust", title="Again"), namespace="default"))

    seen = []

    def follow():
        for event in books.watch(namespace="default", timeout=5, resource_version=made.metadata.resourceVersion):
            seen.append((event["type"], event["object"].metadata.name))
            if event["type"] == "DELETED":
                return

    follower = threading.Thread(target=follow)
    follower.start()
    books.patch(
        name="rust", namespace="default", body={"spec": {"copies": 3}}, content_type="application/merge-patch+json"
    )
    applied = books.server_side_apply(
        name="rust",
        namespace="default",
        body=book("rust", title="Rust, second edition"),
        field_manager="shelf",
        force_conflicts=True,
    )
    assert applied.spec.title == "Rust, second edition" and applied.spec.copies == 3
    assert len(books.get(namespace="default").items) == 1
    books.delete(name="rust", namespace="default")
    follower.join(10)
    assert seen == [("MODIFIED", "rust"), ("MODIFIED", "rust"), ("DELETED", "rust")], seen
    refused(NotFoundError, lambda: books.get(name="rust", namespace="default"))

    core = client.CoreV1Api(api_client)
    core.create_namespaced_config_map("default", client.V1ConfigMap(metadata={"name": "typed"}, data={"a": "b"}))
    names = [
        event["object"].metadata.name
        for event in watch.Watch().stream(core.list_namespaced_config_map, "default", timeout_seconds=1)
    ]
    assert "typed" in names, names
    print("ok")


main()
