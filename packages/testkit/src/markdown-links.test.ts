import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const FENCED_CODE = /^```.*?^```/gms;
const INLINE_CODE = /`[^`\n]*`/g;

const listPages = () =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(ROOT, path)));

const readPage = (path: string) => readFileSync(join(ROOT, path), 'utf8').replaceAll(FENCED_CODE, '');

/** The anchors that GitHub gives to the headings of a page. */
function listAnchors(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of page.matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let n = 1; anchors.has(unique); n += 1) unique = `${anchor}-${n}`;
    anchors.add(unique);
  }
  return anchors;
}

/** The targets of relative links, without those to other sites. */
const listLinks = (page: string) =>
  [...page.replaceAll(INLINE_CODE, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

function isBroken(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(ROOT, file))) return true;
  return anchor !== undefined && !listAnchors(readPage(file)).has(anchor);
}

describe('the Markdown pages', () => {
  const links = listPages().flatMap((page) => listLinks(readPage(page)).map((target) => ({ page, target })));

  it('contain only relative links to files and headings that exist', () => {
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter(({ page, target }) => isBroken(page, target))).toEqual([]);
  });

  it('number each decision once', () => {
    const numbers = listPages().flatMap((page) => /^docs\/adr\/(\d{4})-/.exec(page)?.[1] ?? []);
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  });
});
