import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('..', import.meta.url));
/** Not said to people as such: what an error in the program itself says, and templates of policies. */
const OTHERS = ['features/policies/editing/starters.ts', 'editor/codemirror/theme.ts'];
/** Files of texts: `texts.ts`, `sign-in-texts.ts`, and the names of screens. */
const TEXTS = /(^|[/-])texts\.tsx?$|\/screens\.ts$/;
/** Attributes that are read by people, wherever they stand. */
const SPOKEN =
  /^(label|title|description|placeholder|aria-label|lead|action|what|why|still|empty|hint|searches|heading|legend|alt|nothingFoundMessage)$/;
const WORD = /\p{L}{2}/u;
const SENTENCE = /^\p{Lu}\p{Ll}*[ ,:].*\p{Ll}{2}/u;

/** The beginning of a sentence that continues with a value. */
const BEGINNING = /^\p{Lu}\p{Ll}+ $/u;

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Texts in the source that are said to people. */
function findWords(name: string, source: string): string[] {
  const { program, errors } = parseSync(name, source);
  expect(errors, name).toEqual([]);
  const found: string[] = [];
  visit(program as unknown as Node, found);
  return found;
}

function visit(node: Node, found: string[]): void {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ThrowStatement':
    case 'TSLiteralType':
      return;
    case 'NewExpression':
      if (String((node.callee as Node).name).endsWith('Error')) return;
      break;
    case 'CallExpression':
      // The name of an error.
      if ((node.callee as Node).type === 'Super') return;
      break;
    case 'JSXText':
      if (WORD.test(String(node.value))) found.push(String(node.value).trim());
      return;
    case 'JSXAttribute': {
      const value = node.value as Node | null;
      if (value?.type !== 'Literal') break;
      if (SPOKEN.test(String((node.name as Node).name)) && WORD.test(String(value.value)))
        found.push(String(value.value));
      return;
    }
    case 'Literal':
      if (typeof node.value === 'string' && SENTENCE.test(node.value)) found.push(node.value);
      return;
    case 'TemplateElement': {
      const { raw } = node.value as { raw: string };
      if (SENTENCE.test(raw) || BEGINNING.test(raw)) found.push(raw);
      return;
    }
  }
  for (const member of Object.values(node)) {
    for (const one of [member].flat()) if (isNode(one)) visit(one, found);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

const files = globSync(`${SOURCE}/**/*.{ts,tsx}`)
  .map((file) => relative(SOURCE, file))
  .filter((file) => !/\.test\.|(^|\/)test-|\/testing\/|\.d\.ts$/.test(file))
  .filter((file) => !TEXTS.test(file) && !OTHERS.includes(file));

describe('what the screens say', () => {
  it('stands among the texts and nowhere else', () => {
    expect(files.length).toBeGreaterThan(300);
    const found = files.flatMap((file) =>
      findWords(file, readFileSync(`${SOURCE}/${file}`, 'utf8')).map((words) => `${file}: ${words}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ['between tags', '<p>\n  Nothing is\n  here.\n</p>'],
    ['beside a value', '<p>{count} nodes</p>'],
    ['in an attribute', '<Button aria-label="Close">x</Button>'],
    ['in a choice', '<p>{isOn ? "It is on" : x}</p>'],
    ['of a column', '[{ header: "Last seen" }]'],
    ['around a name', '<b title={`Remove $' + '{name}`} />'],
  ])('is found %s', (_, source) => {
    expect(findWords('one.tsx', `const made = ${source};`)).toHaveLength(1);
  });

  it('is not found in what is for the program', () => {
    const source = '<p className="one two">{text.none}</p>; throw new Error("No such route here");';
    expect(findWords('one.tsx', source)).toEqual([]);
  });
});
