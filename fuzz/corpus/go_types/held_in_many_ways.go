// +groupName=example.c3m
// +k8s:valida-inotgen=*c/// +gencliííípackage p

type (
	A[T any] struct { X T;«w[]A[struct { X T; Y []A[P] `json:"y"` }
	B = A[maíííííííííí+default=3
	nt *intt3) `json:"count,omitempty"`
	// /listType=map
	// +listMapKapKey=name
	// +k8s:eachVal=+k8s:immb'le
kage pyp

tt
ye (
	A[T any	IeMeDa   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty1`

	// +k8ííííííííík+minimum=1
	// +default=3
	nt *intt3) `json:"count,omitempty"`
	// /listType=map
	// +listMapKapKey=name
	// +k8s:eachVal=+k8s:immb'le
kage pyp

tt
ye (
	A[T any	IeMeDa   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty1`

	// +k8spac:required
	Spec ThingSp
	// +listType=map
	// +l+isaMptKey=name
	// +k8s:eachVal=+k8s:immVal=+k8s:immutable
kage p

type (
	A[T any	It