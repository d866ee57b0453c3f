import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { isPublicAddress } from '../../src/lib/special-addresses.ts';

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '198.20.0.0',
  '223.255.255.255',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
])('D20.5: %s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ['unspecified', ['0.0.0.0', '0.1.2.3', '::']],
  ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
  ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1']],
  ['link-local', ['169.254.0.1', 'fe80::1', 'febf::1', 'fe80::1%eth0']],
  ['unique-local', ['fc00::1', 'fd12:3456::1']],
  ['carrier-grade NAT', ['100.64.0.1', '100.127.255.255']],
  ['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1']],
  ['broadcast and reserved', ['240.0.0.1', '255.255.255.255']],
  ['metadata of clouds', ['169.254.169.254', '100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254']],
  ['IPv4-mapped', ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:a9fe:a9fe', '0:0:0:0:0:ffff:0a00:0001']],
  ['IPv4-compatible', ['::127.0.0.1', '::7f00:1']],
  ['NAT64', ['64:ff9b::127.0.0.1', '64:ff9b::808:808', '64:ff9b:1::1']],
  ['6to4 and Teredo', ['2002:7f00:1::', '2002:a00:1::1', '2001::1', '2001:0:53aa:64c::1']],
  ['documentation and benchmarking', ['192.0.2.1', '198.18.0.1', '203.0.113.9', '2001:db8::1', '3fff::1']],
  ['no address at all', ['', 'localhost', '127.1', '0x7f000001', '2130706433', '1.2.3.4.5', '[::1]']],
])('D20.5: %s is not public', (_what, addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([]);
});

test('D20.5: what is public is unicast for ipaddr.js too, for any address', () => {
  const ipv4 = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 });
  const special = fc.constantFrom([127, 0, 0, 1], [10, 1, 1, 1], [169, 254, 1, 1], [100, 64, 1, 1], [192, 168, 1, 1]);
  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
  const low = fc.constantFrom([0, 0, 0, 0, 0, 0xffff], [0x64, 0xff9b, 0, 0, 0, 0], [0x2002], [0x2001, 0], [0xfe80]);
  const ipv6 = fc
    .tuple(groups, fc.option(low, { nil: [] }))
    .map(([all, first]) => [...first, ...all].slice(0, 8).map((group) => group.toString(16)));
  const address = fc.oneof(
    fc.oneof(ipv4, special).map((bytes) => bytes.join('.')),
    ipv6.map((all) => all.join(':')),
  );
  fc.assert(
    fc.property(address, (text) => {
      if (isPublicAddress(text)) expect(ipaddr.parse(text).range()).toBe('unicast');
    }),
    { numRuns: 5_000 },
  );
});
