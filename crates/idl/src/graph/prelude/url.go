package url

type Userinfo struct {
	username string
	password string
}

type URL struct {
	Scheme      string
	Opaque      string
	User        *Userinfo
	Host        string
	Path        string
	RawPath     string
	OmitHost    bool
	ForceQuery  bool
	RawQuery    string
	Fragment    string
	RawFragment string
}

func (u *URL) MarshalBinary() (text []byte, err error)
func (u *URL) UnmarshalBinary(text []byte) error

type Values map[string][]string
