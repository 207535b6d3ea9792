package netip

type Addr struct {
	address string
}

func (ip Addr) MarshalText() ([]byte, error)
func (ip *Addr) UnmarshalText(text []byte) error

type AddrPort struct {
	ip   Addr
	port uint16
}

func (p AddrPort) MarshalText() ([]byte, error)
func (p *AddrPort) UnmarshalText(text []byte) error

type Prefix struct {
	ip   Addr
	bits uint8
}

func (p Prefix) MarshalText() ([]byte, error)
func (p *Prefix) UnmarshalText(text []byte) error
