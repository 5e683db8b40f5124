import { describe, expect, it } from 'vitest';
import { readYamlSource } from './yaml-source.ts';

const read = (path: string, content: string | Uint8Array) => {
  const source = readYamlSource({ path, content });
  if (!source.ok) throw new Error(JSON.stringify(source.error));
  return source.value;
};

describe('readYamlSource', () => {
  it('parses a text once if it is read several times in a row, under any name', () => {
    const text = 'spec:\n  name: a\n';
    const first = read('a.yaml', text);
    for (const again of [read('a.yaml', text), read('b.yaml', Buffer.from(text))]) {
      expect(again.value).toBe(first.value);
      expect(again.document).toBe(first.document);
    }
    expect(read('b.yaml', text).file).toBe('b.yaml');
    expect(read('a.yaml', 'spec:\n  name: b\n').value).toEqual({ spec: { name: 'b' } });
  });

  it('parses a text as JSON only if the file name says so', () => {
    const text = '{ "a": 1 }';
    expect(read('a.yaml', text).value).toEqual({ a: 1 });
    expect(read('a.json', text).value).toEqual({ a: 1 });
    const yaml = 'a: 1\n';
    expect(read('b.yaml', yaml).value).toEqual({ a: 1 });
    expect(readYamlSource({ path: 'b.json', content: yaml })).toMatchObject({
      ok: false,
      error: [{ file: 'b.json', rule: 'file.syntax' }],
    });
  });

  it('finds the places of fields in plain and other texts alike', () => {
    for (const text of ['a:\n  - b: 1\n    c: 2\n', 'a:\n  - b: &x 1\n    c: 2\n']) {
      expect(read('p.yaml', text).locate(['a', 0, 'c'], 'key')).toEqual({ line: 3, column: 5 });
    }
  });

  it('reveals nothing of a text in a process warning, because it may contain a key', async () => {
    const messages: string[] = [];
    const listen = ({ message }: Error) => messages.push(message);
    process.on('warning', listen);
    try {
      read('p.yaml', 'a: { { key: SECRET }: 1 }\n');
      await new Promise(setImmediate);
    } finally {
      process.off('warning', listen);
    }
    expect(messages).toEqual([]);
  });
});
