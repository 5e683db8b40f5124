import { describe, expect, it } from 'vitest';
import { checkDocument } from './check-document.ts';
import { type BgpDocument, bgpDocumentSchema } from './document.ts';
import { editDocument, hidePasswords } from './edit.ts';
import { parseIp, parsePrefix } from './index.ts';
import { renderDocument } from './render.ts';

/** Has every text field of the schema. */
const DOCUMENT = {
  autonomous_system: 64_500,
  router_id: '192.0.2.1',
  networks: ['203.0.113.0/24'],
  administrative_distance: '21-201-202',
  peer_groups: [{ name: 'UP', description: 'group', password: 'secret-1', families: ['ipv4'], update_source: 'eth0' }],
  neighbors: [
    {
      peer_ip: '192.0.2.2',
      remote_as: 64_501,
      description: 'one neighbour',
      password: 'secret-2',
      update_source: '192.0.2.1',
      families: ['ipv4'],
      bfd: true,
      bfd_profile: 'fast',
      route_maps: { route_map_in: ['IN'], route_map_out: ['IN'] },
      prefix_lists: { prefix_list_in: ['P'], prefix_list_out: ['P'] },
    },
    { peer_ip: '192.0.2.3', remote_as: 64_501, peer_group: 'UP' },
  ],
  prefix_lists: [{ name: 'P', sequence: 5, action: 'permit', prefix: '203.0.113.0/24' }],
  community_lists: [
    { name: 'S', sequence: 5, action: 'permit', type: 'standard', community_values: ['64500:1'] },
    { name: 'E', sequence: 5, action: 'permit', type: 'expanded', community_values: ['^64500:.*'] },
    { name: 'L', sequence: 5, action: 'permit', type: 'large', community_values: ['64500:1:2'] },
  ],
  as_path_lists: [{ name: 'A', sequence: 5, action: 'permit', expression: '^64501_' }],
  route_maps: [
    {
      name: 'IN',
      sequence: 10,
      action: 'permit',
      description: 'a map',
      match_conditions: [{ match_type: 'prefix-list', match_value: 'P' }],
      set_actions: {
        set_origin: 'igp',
        set_nexthop: '192.0.2.9',
        set_community: ['64500:1'],
        set_large_community: ['64500:1:2'],
      },
    },
  ],
  bfd_profiles: [{ name: 'fast' }],
  health_routes: [{ service: 'shop', prefix: '198.51.100.7/32' }],
};

const NASTY = [
  '\n exit\nrouter bgp 1',
  'x\r\nno router bgp 64500',
  'x\u0000',
  'x\u2028y',
  '!',
  '! comment',
  '"',
  "'",
  '"x',
  ';',
  '; reload',
  '$(id)',
  '`id`',
  '| include x',
  '?',
  '\\',
  ' ',
  '',
  'x  y',
  '\t',
  'é',
  '-f /etc/passwd',
  'x'.repeat(1024 * 1024),
];

type Path = ReadonlyArray<string | number>;

function listTexts(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    listTexts(one, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function replaceAt(path: Path, text: string): unknown {
  const copy: unknown = structuredClone(DOCUMENT);
  let at = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as typeof at;
  at[path.at(-1) ?? ''] = text;
  return copy;
}

const everyRoute = (document: BgpDocument) => new Set(document.health_routes.map(({ prefix }) => prefix));

describe('the text fields of the BGP document', () => {
  it.each(listTexts(DOCUMENT).map((path) => ({ name: path.join('.'), path })))(
    '$name: every value is refused or stays inside its field',
    ({ path }) => {
      const usual = renderDocument(bgpDocumentSchema.parse(DOCUMENT), new Set(['198.51.100.7/32']));
      for (const text of NASTY) {
        const parsed = bgpDocumentSchema.safeParse(replaceAt(path, text));
        if (!parsed.success || checkDocument(parsed.data).length > 0) continue;
        const lines = renderDocument(parsed.data, everyRoute(parsed.data));
        // The same lines, of which those with this field differ in nothing else.
        expect(lines.length, JSON.stringify(text)).toBe(usual.length);
        for (const [i, line] of lines.entries()) {
          const changed = line.filter((part, j) => part !== usual[i]?.[j]);
          expect(
            changed.every((part) => part.includes(text)),
            JSON.stringify(line),
          ).toBe(true);
          expect(line.join('')).toMatch(/^[ -~]*$/);
          expect(line.join('').length).toBeLessThan(1000);
        }
      }
    },
  );

  it('accept no member that is not in the schema, and no number outside of its range', () => {
    const isAccepted = (change: object) => bgpDocumentSchema.safeParse({ ...DOCUMENT, ...change }).success;
    expect(isAccepted({})).toBe(true);
    for (const change of [
      { nonsense: 1 },
      { autonomous_system: 0 },
      { autonomous_system: 4_294_967_296 },
      { autonomous_system: '64500' },
      { maximum_paths: 257 },
      { hold_time: 2, keepalive_time: 1 },
      { administrative_distance: '20-200-256' },
      { select_defer_time: 3601 },
      { neighbors: [{ peer_ip: '192.0.2.2', remote_as: 1, ebgp_multihop: true, ebgp_multihop_ttl: 256 }] },
      { router_id: '2001:db8::1' },
    ])
      expect(isAccepted(change), JSON.stringify(change)).toBe(false);
  });
});

describe('a BGP document', () => {
  it.each([
    [{ keepalive_time: 10 }, 'keepalive_time'],
    [{ neighbors: [{ peer_ip: '192.0.2.2' }] }, 'neighbors.0.remote_as'],
    [{ neighbors: [{ peer_ip: '192.0.2.2', remote_as: 1, peer_group: 'NO' }] }, 'neighbors.0.peer_group'],
    [
      {
        neighbors: [
          { peer_ip: '192.0.2.2', remote_as: 1 },
          { peer_ip: '192.0.2.2', remote_as: 2 },
        ],
      },
      'neighbors.1',
    ],
    [{ neighbors: [{ peer_ip: '192.0.2.2', remote_as: 1, bfd_profile: 'fast' }] }, 'neighbors.0.bfd_profile'],
    [
      { neighbors: [{ peer_ip: '2001:db8::2', remote_as: 1, prefix_lists: { prefix_list_in: ['P'] } }] },
      'neighbors.0.prefix_lists.prefix_list_in',
    ],
    [{ prefix_lists: [] }, 'neighbors.0.prefix_lists.prefix_list_in'],
    [{ networks: ['198.51.100.7/32'] }, 'health_routes.0.prefix'],
    [{ graceful_restart_enabled: true, graceful_restart_disable: true }, 'graceful_restart_disable'],
  ])('with %j is refused at %s', (change, path) => {
    const document = bgpDocumentSchema.parse({ ...DOCUMENT, ...change });
    expect(checkDocument(document).map((problem) => problem.path.join('.'))).toContain(path);
  });

  it('keeps the passwords of the host that its reader never saw', () => {
    const current = bgpDocumentSchema.parse(DOCUMENT);
    const shown = hidePasswords(current);
    expect(JSON.stringify(shown)).not.toMatch(/secret-/);
    const config = bgpDocumentSchema.parse(JSON.parse(JSON.stringify(shown)));
    expect(editDocument(current, { operation: 'BGP_SET_CONFIG', config })).toEqual({ ok: true, document: current });
    const neighbor = { peer_ip: '192.0.2.2', remote_as: 7 };
    const edited = editDocument(current, { operation: 'BGP_UPDATE_NEIGHBOR', neighbor });
    expect(edited.ok && edited.document?.neighbors[0]).toEqual(neighbor);
  });
});

describe('addresses', () => {
  it.each([
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['::', '::'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['192.0.2.1', '192.0.2.1'],
  ])('%s is %s for FRR', (text, expected) => {
    expect(parseIp(text)?.text).toBe(expected);
  });

  it.each(['', '1', '01.2.3.4', '256.1.1.1', '1.2.3', ':::', '1::2::3', 'fe80::1%eth0', '::ffff:1.2.3.4', '12345::'])(
    '%j is no address',
    (text) => {
      expect(parseIp(text)).toBeUndefined();
    },
  );

  it.each(['192.0.2.1/24', '192.0.2.0/33', '192.0.2.0/024', '2001:db8::1/64', '192.0.2.0', '192.0.2.0/24 '])(
    '%j is no network',
    (text) => {
      expect(parsePrefix(text)).toBeUndefined();
    },
  );
});
