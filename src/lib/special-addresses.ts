import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * IPv4 ranges that are not public: the special-purpose registry of IANA (RFC 6890 and later), multicast and reserved
 * addresses, and the one address of Azure's metadata service outside these ranges.
 */
const specialIpv4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;

/** All but global unicast (2000::/3) is refused: loopback, mapped, NAT64, unique-local, link-local, multicast. */
const globalUnicast = ['2000::', 3] as const;

/** What is special within global unicast: protocol assignments with Teredo, benchmarking, documentation, 6to4, SIDs. */
const specialIpv6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const;

const blockedIpv4 = new BlockList();
for (const [net, prefix] of specialIpv4) blockedIpv4.addSubnet(net, prefix, 'ipv4');
const publicIpv6 = new BlockList();
publicIpv6.addSubnet(...globalUnicast, 'ipv6');
const blockedIpv6 = new BlockList();
for (const [net, prefix] of specialIpv6) blockedIpv6.addSubnet(net, prefix, 'ipv6');

/** Whether an IP address in its usual notation is a public one. False for all text that is no address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !blockedIpv4.check(address, 'ipv4');
  // An address with a zone, such as fe80::1%eth0, is local to a link.
  if (!isIPv6(address) || address.includes('%')) return false;
  return publicIpv6.check(address, 'ipv6') && !blockedIpv6.check(address, 'ipv6');
}
