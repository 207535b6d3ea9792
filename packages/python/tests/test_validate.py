"""The module has the verdicts of the command."""

import unittest

import ordain

SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "s"},
    "spec": {"ports": [{"port": 80}]},
}

CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "cups.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "cups", "singular": "cup", "kind": "Cup", "listKind": "CupList"},
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
                                "properties": {"size": {"type": "integer", "maximum": 3}},
                            }
                        },
                    }
                },
            }
        ],
    },
}


def cup(size):
    return {
        "apiVersion": "example.com/v1",
        "kind": "Cup",
        "metadata": {"name": "c"},
        "spec": {"size": size},
    }


class Validate(unittest.TestCase):
    def test_what_a_server_takes_is_ok(self):
        report = ordain.validate(SERVICE)
        self.assertTrue(report.ok)
        self.assertEqual(report.judged, 1)

    def test_findings_name_their_object(self):
        wrong = {**SERVICE, "spec": {"ports": [{"port": 0}]}}
        report = ordain.validate([SERVICE, wrong])
        self.assertEqual([it.index for it in report.errors], [1] * len(report.errors))
        self.assertIn("spec.ports[0].port", [it.field for it in report.errors])

    def test_definitions_are_objects_texts_or_paths(self):
        self.assertTrue(ordain.validate(cup(3), crds=CRD).ok)
        with self.assertRaises(ordain.Invalid) as caught:
            ordain.validate([cup(9)], crds=[CRD]).check()
        self.assertIn("less than or equal to 3", str(caught.exception))

    def test_kinds_without_a_schema_are_told(self):
        self.assertEqual(ordain.validate(cup(1)).errors[0].rule, "no-schema")
        self.assertTrue(ordain.validate(cup(1), ignore_missing_schemas=True).ok)

    def test_texts_are_taken_as_they_are(self):
        text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndate: {}\n"
        report = ordain.validate(text)
        self.assertEqual(report.errors[0].rule, "unknown-field")

    def test_what_cannot_be_used_is_an_error(self):
        with self.assertRaises(ordain.OrdainError):
            ordain.validate(SERVICE, crds="/no/such/folder")


if __name__ == "__main__":
    unittest.main()
