package net

type IP []byte

func (ip IP) MarshalText() ([]byte, error)
func (ip *IP) UnmarshalText(text []byte) error

type IPMask []byte

type IPNet struct {
	IP   IP
	Mask IPMask
}
