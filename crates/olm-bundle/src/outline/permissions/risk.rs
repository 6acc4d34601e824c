//! Dangerous permissions with their reasons: the list of privilege escalation risks in the Kubernetes
//! documentation.

/// A way to more rights than a permission seems to give, in order of severity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Risk {
    /// Every verb on every resource of every group.
    Everything,
    /// The verb `escalate` on roles.
    Escalate,
    /// The verb `bind` on roles.
    Bind,
    /// The verb `impersonate`.
    Impersonate,
    /// Secrets can be read.
    Secrets,
    /// Tokens of service accounts can be made.
    Tokens,
    /// Commands can be run in pods.
    Exec,
    /// The kubelet's API can be reached.
    NodeProxy,
    /// Admission webhooks can be changed.
    Webhooks,
    /// Certificates can be approved.
    Certificates,
    /// Volumes can be created on a node's own disk.
    Volumes,
    /// Pods may run under a `SecurityContextConstraints` that is not restricted.
    SccUse,
    /// `SecurityContextConstraints` can be changed.
    SccChange,
    /// Pods can be created, directly or through a workload.
    Workloads,
    /// Namespaces can be labelled.
    Namespaces,
    /// All resources of a group that does not belong to the bundle.
    Wildcard,
}

impl Risk {
    /// All risks.
    pub const ALL: [Self; 16] = [
        Self::Everything,
        Self::Escalate,
        Self::Bind,
        Self::Impersonate,
        Self::Secrets,
        Self::Tokens,
        Self::Exec,
        Self::NodeProxy,
        Self::Webhooks,
        Self::Certificates,
        Self::Volumes,
        Self::SccUse,
        Self::SccChange,
        Self::Workloads,
        Self::Namespaces,
        Self::Wildcard,
    ];

    /// Returns its name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Everything => "everything",
            Self::Escalate => "escalate",
            Self::Bind => "bind",
            Self::Impersonate => "impersonate",
            Self::Secrets => "secrets",
            Self::Tokens => "tokens",
            Self::Exec => "exec",
            Self::NodeProxy => "node-proxy",
            Self::Webhooks => "admission-webhooks",
            Self::Certificates => "certificates",
            Self::Volumes => "persistent-volumes",
            Self::SccUse => "scc-use",
            Self::SccChange => "scc-change",
            Self::Workloads => "workloads",
            Self::Namespaces => "namespaces",
            Self::Wildcard => "wildcard",
        }
    }

    /// Returns the reason.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Everything | Self::Wildcard => {
                "Wildcard access gives rights not just to all object types that exist in the cluster, but also to all that \
                 will be created."
            }
            Self::Escalate => {
                "Kubernetes does not let users create roles with more rights than they have, except with the escalate verb."
            }
            Self::Bind => {
                "The bind verb lets one create bindings to roles with rights that one does not have."
            }
            Self::Impersonate => {
                "The impersonate verb lets one gain the rights of other users in the cluster."
            }
            Self::Secrets => {
                "Get access allows one to read the contents of Secrets; list and watch reveal them just as well."
            }
            Self::Tokens => {
                "Create rights on serviceaccounts/token allow one to issue tokens for existing service accounts."
            }
            Self::Exec => {
                "A command in a container has what its pod has: the Secrets, the volumes, the service account's token."
            }
            Self::NodeProxy => {
                "The proxy of nodes is the kubelet's API: commands in every pod of the node, past audit logs and admission."
            }
            Self::Webhooks => {
                "Who controls admission webhooks can read every object that is admitted to the cluster, and change it."
            }
            Self::Certificates => {
                "Who can approve signing requests can make client certificates for any name, system users too."
            }
            Self::Volumes => {
                "PersistentVolumes may be hostPath volumes, which give a pod the file system of its node."
            }
            Self::SccUse => {
                "The SCC decides what a pod may be: root, privileged, with the node's network, processes and files."
            }
            Self::SccChange => {
                "Who can change an SCC can allow any pod to be root, privileged and on the node's network."
            }
            Self::Workloads => {
                "A pod can mount every Secret and run as every service account of its namespace; who creates pods has both."
            }
            Self::Namespaces => {
                "Labels of a namespace choose its Pod Security level and are what network policies select."
            }
        }
    }

    /// Returns the URL of the documentation.
    pub fn documentation_url(self) -> &'static str {
        match self {
            Self::Everything | Self::Wildcard => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#least-privilege"
            }
            Self::Escalate => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#escalate-verb"
            }
            Self::Bind => "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#bind-verb",
            Self::Impersonate => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#impersonate-verb"
            }
            Self::Secrets => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#listing-secrets"
            }
            Self::Tokens => "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#token-request",
            Self::Exec | Self::Workloads => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#workload-creation"
            }
            Self::NodeProxy => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#access-to-proxy-subresource-of-nodes"
            }
            Self::Webhooks => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#control-admission-webhooks"
            }
            Self::Certificates => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#csrs-and-certificate-issuing"
            }
            Self::Volumes => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#persistent-volume-creation"
            }
            Self::Namespaces => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#namespace-modification"
            }
            Self::SccUse | Self::SccChange => {
                "https://docs.redhat.com/en/documentation/openshift_container_platform/latest/html/authentication_and_authorization/managing-pod-security-policies"
            }
        }
    }

    /// Returns true if it is about cluster-scoped resources, so that a Role does not grant it.
    pub(super) fn is_cluster_scoped(self) -> bool {
        matches!(
            self,
            Self::NodeProxy | Self::Webhooks | Self::Certificates | Self::Volumes | Self::SccChange
        )
    }
}

/// A dangerous use of a permission.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Danger {
    /// Kind of the risk.
    pub risk: Risk,
    /// True if it is limited to some namespaces, or to resources with some names.
    pub is_narrow: bool,
}
