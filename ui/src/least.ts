// What the rules of built-in types ask for beyond their schemas, so that samples of them are accepted.
// Only the server knows those rules; `test/browser` asks it about the sample of each kind.
import type { Tree } from "./diff.ts";

const LABELS = { app: "example" };
const POD: Tree = { containers: [{ name: "example", image: "example" }] };
const TEMPLATE: Tree = { metadata: { labels: LABELS }, spec: POD };
/** A selector finds the pods of its own template. */
const WORKLOAD: Tree = { selector: { matchLabels: LABELS }, template: TEMPLATE };
const JOB: Tree = { template: { spec: { ...POD, restartPolicy: "Never" } } };
const RULE: Tree = {
  apiGroups: [""],
  apiVersions: ["v1"],
  operations: ["CREATE"],
  resources: ["configmaps"],
};
const CONSTRAINTS: Tree = { resourceRules: [RULE] };
const WEBHOOK: Tree = {
  name: "example.example.com",
  admissionReviewVersions: ["v1"],
  clientConfig: { url: "https://example.com/" },
  sideEffects: "None",
  rules: [RULE],
};
const REVIEWED: Tree = { resourceAttributes: { verb: "get", resource: "pods" } };
const FLOW_RULE: Tree = {
  subjects: [{ kind: "Group", group: { name: "system:authenticated" } }],
  nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }],
};

/** By the name of a type, the last part of its schema's name. */
const TYPES: Record<string, Tree> = {
  PodSpec: POD,
  PodTemplate: { template: TEMPLATE },
  ReplicationControllerSpec: { selector: LABELS, template: TEMPLATE },
  DeploymentSpec: WORKLOAD,
  ReplicaSetSpec: WORKLOAD,
  DaemonSetSpec: WORKLOAD,
  StatefulSetSpec: WORKLOAD,
  JobSpec: JOB,
  CronJobSpec: { schedule: "0 * * * *", jobTemplate: { spec: JOB } },
  ControllerRevision: { revision: 1, data: {} },
  ServiceSpec: { selector: LABELS, ports: [{ port: 80 }] },
  EndpointSlice: { addressType: "IPv4", endpoints: [{ addresses: ["192.0.2.1"] }] },
  PersistentVolumeSpec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    hostPath: { path: "/tmp/example" },
  },
  PersistentVolumeClaimSpec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
  },
  HorizontalPodAutoscalerSpec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "example" },
    maxReplicas: 3,
  },
  IngressSpec: { defaultBackend: { service: { name: "example", port: { number: 80 } } } },
  IngressClassSpec: { controller: "example.com/controller" },
  IPAddressSpec: { parentRef: { resource: "services", namespace: "default", name: "example" } },
  ServiceCIDRSpec: { cidrs: ["192.0.2.0/24"] },
  RoleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
  PriorityClass: { value: 1000 },
  RuntimeClass: { handler: "example" },
  StorageClass: { provisioner: "example.com/provisioner" },
  VolumeAttributesClass: { driverName: "example.com", parameters: { kind: "example" } },
  VolumeAttachmentSpec: {
    attacher: "example.com",
    nodeName: "example",
    source: { persistentVolumeName: "example" },
  },
  CSIStorageCapacity: { storageClassName: "example" },
  ResourceSliceSpec: {
    driver: "example.com",
    nodeName: "example",
    pool: { name: "example", generation: 1, resourceSliceCount: 1 },
    devices: [{ name: "example" }],
  },
  CertificateSigningRequestSpec: { signerName: "example.com/signer", usages: ["client auth"] },
  CustomResourceDefinitionSpec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Example", plural: "examples" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
  APIServiceSpec: {
    group: "example.com",
    version: "v1",
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service: { namespace: "default", name: "example" },
    insecureSkipTLSVerify: true,
  },
  FlowSchemaSpec: {
    priorityLevelConfiguration: { name: "global-default" },
    matchingPrecedence: 1000,
    rules: [FLOW_RULE],
  },
  PriorityLevelConfigurationSpec: {
    type: "Limited",
    limited: { nominalConcurrencyShares: 10, limitResponse: { type: "Reject" } },
  },
  ValidatingAdmissionPolicySpec: {
    matchConstraints: CONSTRAINTS,
    validations: [{ expression: "has(object.data)", message: "there must be data" }],
  },
  ValidatingAdmissionPolicyBindingSpec: { policyName: "example", validationActions: ["Deny"] },
  MutatingAdmissionPolicySpec: {
    matchConstraints: CONSTRAINTS,
    reinvocationPolicy: "Never",
    mutations: [
      {
        patchType: "ApplyConfiguration",
        applyConfiguration: {
          expression: 'Object{metadata: Object.metadata{labels: {"seen": "true"}}}',
        },
      },
    ],
  },
  MutatingAdmissionPolicyBindingSpec: { policyName: "example" },
  ValidatingWebhookConfiguration: { webhooks: [WEBHOOK] },
  MutatingWebhookConfiguration: { webhooks: [WEBHOOK] },
  SelfSubjectAccessReviewSpec: REVIEWED,
  SubjectAccessReviewSpec: { ...REVIEWED, user: "example" },
  SelfSubjectRulesReviewSpec: { namespace: "default" },
  Binding: { target: { kind: "Node", name: "example" } },
};

/** Kinds whose objects cannot be named freely, and what else a kind asks for. */
const KINDS: Record<string, Tree> = {
  "IPAddress.networking.k8s.io": { metadata: { name: "192.0.2.1" } },
  "CustomResourceDefinition.apiextensions.k8s.io": { metadata: { name: "examples.example.com" } },
  "APIService.apiregistration.k8s.io": { metadata: { name: "v1.example.com" } },
  "CSIDriver.storage.k8s.io": { metadata: { name: "example.com" } },
  "Event.": {
    involvedObject: { kind: "Pod", name: "example", namespace: "default" },
    reason: "Example",
    message: "an example",
    type: "Normal",
  },
  "Event.events.k8s.io": {
    eventTime: "2026-01-01T00:00:00.000000Z",
    regarding: { kind: "Pod", name: "example", namespace: "default" },
    action: "Example",
    reason: "Example",
    type: "Normal",
    reportingController: "example.com/controller",
    reportingInstance: "example",
  },
  "LocalSubjectAccessReview.authorization.k8s.io": {
    spec: {
      user: "example",
      resourceAttributes: { namespace: "default", verb: "get", resource: "pods" },
    },
  },
};

const OWN = "io.k8s.";

/** What a built-in type asks for, by the name of its schema. */
export function leastOfType(name: string): Tree | undefined {
  return name.startsWith(OWN) ? TYPES[name.slice(name.lastIndexOf(".") + 1)] : undefined;
}

/** What a built-in kind asks for besides its types. */
export function leastOfKind(group: string, kind: string): Tree | undefined {
  return KINDS[`${kind}.${group}`];
}
