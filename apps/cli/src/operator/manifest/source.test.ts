import { describe, expect, it } from 'vitest';
import { classify } from './kinds.ts';
import { formatProblem, parseSource, splitPath } from './source.ts';

const YAML = `# two records
collection: clusters
name: web
version: 1.39.3
resource:
  type: EDS
  load_assignment:
    endpoints:
      - lb_endpoints: []
---
apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata:
  name: shop # kept
spec: { domains: [] }
`;

describe('a source', () => {
  it('contains several records, each with its text and the places of its fields', () => {
    const { entries, problems } = parseSource({ file: 'a.yaml', text: YAML });
    expect(problems).toEqual([]);
    expect(entries.map(({ value }) => value.name ?? value.kind)).toEqual(['web', 'SecurityPolicy']);
    expect(entries[0]?.problem('resource.type', 'is bad')).toMatchObject({ line: 6, column: 3 });
    const deep = 'resource.load_assignment.endpoints[0].lb_endpoints[3].x';
    expect(entries[0]?.problem(deep, 'is missing')).toMatchObject({ line: 9, column: 9, field: deep });
    expect(entries[1]?.text).toContain('name: shop # kept');
    expect(entries[1]?.text).not.toContain('clusters');
    expect(entries[1]?.problem('metadata.name', 'x')).toMatchObject({ line: 14 });
  });

  it('may end with a separator and contain empty documents (fault L12)', () => {
    const { entries, problems } = parseSource({ file: 'a.yaml', text: '---\na: 1\n---\n# nothing\n---\nb: 2\n---\n' });
    expect(problems).toEqual([]);
    expect(entries.map(({ value }) => value)).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('may be JSON: one record, a list, or the items of a printed list', () => {
    const record = '{"collection": "clusters", "name": "a", "version": "1.39.3", "resource": {}}';
    for (const text of [record, `[${record}]`, `{"items": [${record}]}`]) {
      expect(parseSource({ file: 'a.json', text }).entries.map(({ value }) => value.name)).toEqual(['a']);
    }
  });

  it.each([
    ['a: [1', 1],
    ['a: 1\na: 2', 2],
    ['just text', 1],
    ['- 1\n- 2', 1],
  ])('reports the line of a syntax error: %j', (text, line) => {
    const { problems } = parseSource({ file: 'b.yaml', text });
    expect(problems[0]).toMatchObject({ file: 'b.yaml', line });
    expect(formatProblem(problems[0] as never)).toMatch(/^b\.yaml:\d+:\d+: /);
  });

  it('with a YAML bomb is refused', () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`,
    );
    const bomb = `l0: &l0 [x]\n${levels.join('\n')}`;
    expect(parseSource({ file: 'c.yaml', text: bomb }).problems).toHaveLength(1);
  });

  it('that is nested too deeply is refused', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    for (const text of [deep, `a: ${deep}`]) {
      expect(parseSource({ file: 'd.yaml', text }).problems).toHaveLength(1);
    }
  });

  it('accepts all forms of paths in the API', () => {
    expect(splitPath('a.b[0]["c.d"].e_f')).toEqual(['a', 'b', '0', 'c.d', 'e_f']);
    expect(splitPath('')).toEqual([]);
  });
});

describe('a record', () => {
  const read = (text: string, version?: string) => {
    const [entry] = parseSource({ file: 'k.yaml', text }).entries;
    return entry && classify(entry, version);
  };

  it('has a kind that is derived from its fields', () => {
    expect(read(YAML)).toMatchObject({ kind: 'document', body: { name: 'web', collection: 'clusters' } });
    expect(read('apiVersion: flotilla.dev/v1\nmetadata: {name: p}')).toMatchObject({ kind: 'policy', name: 'p' });
    expect(read('name: s\nbootstrap: b\nlisteners: []', '1.39.3')).toMatchObject({
      kind: 'service',
      body: { version: '1.39.3' },
    });
  });

  it('loses fields that only the API sets, so that a printed record can be applied', () => {
    const printed =
      'id: x\nrevision: 3\nupdated_by: me\nprivate: []\ncollection: clusters\nname: a\nversion: 1.39.3\nresource: {}';
    expect(read(printed)).toMatchObject({
      body: { collection: 'clusters', name: 'a', version: '1.39.3', resource: {} },
    });
    expect(Object.keys((read(printed) as { body: object }).body)).toHaveLength(4);
  });

  it.each([
    ['collection: clusters\nresource: {}', 'name', 1],
    ['collection: clusters\nname: a\nresource: {}', 'version', 1],
    ['something: else', '', 1],
    ['apiVersion: flotilla.dev/v1\nmetadata:\n  labels: {}', 'metadata.name', 2],
  ])('that is incomplete is refused with the missing field: %j', (text, field, line) => {
    expect(read(text)).toMatchObject({ field, line });
  });
});
