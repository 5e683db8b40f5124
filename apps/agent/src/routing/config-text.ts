import type { ConfigLine } from '@flotilla/proto/routing';

/** Lines that only separate or close blocks. */
const SEPARATORS: ReadonlySet<string> = new Set(['!', 'end', 'exit', 'exit-address-family', '']);

/** Reads FRR's configuration. FRR indents the lines of a block by one more space than the line that opens it. */
export function parseConfig(text: string): ConfigLine[] {
  const lines: ConfigLine[] = [];
  let blocks: string[] = [];
  for (const raw of text.split('\n')) {
    const line = raw.trimEnd();
    const content = line.trimStart();
    if (SEPARATORS.has(content)) continue;
    blocks = [...blocks.slice(0, line.length - content.length), content];
    lines.push(blocks);
  }
  return lines;
}

/** The object of a line: what is configured, replaced and removed as a whole. Undefined for what Flotilla never manages. */
export function objectOf([first = '', second = '']: ConfigLine): string | undefined {
  if (/^router bgp \d+$/.test(first)) return 'bgp';
  if (first === 'bfd') return /^profile (\S+)/.test(second) ? `bfd ${second}` : undefined;
  for (const [kind, pattern] of OBJECTS) {
    const [, name] = pattern.exec(first) ?? [];
    if (name !== undefined) return `${kind} ${name}`;
  }
  return undefined;
}

const OBJECTS: ReadonlyArray<readonly [kind: string, pattern: RegExp]> = [
  ['route-map', /^route-map (\S+) (?:permit|deny) \d+/],
  ['prefix-list', /^ip prefix-list (\S+) /],
  ['ipv6-prefix-list', /^ipv6 prefix-list (\S+) /],
  ['community-list', /^bgp community-list (?:standard |expanded )?(\S+) /],
  ['large-community-list', /^bgp large-community-list (?:standard |expanded )?(\S+) /],
  ['as-path', /^bgp as-path access-list (\S+) /],
];

export function objectsOf(lines: readonly ConfigLine[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => objectOf(line) ?? []));
}

/** The lines of some objects, without those of others. */
export function pickObjects(lines: readonly ConfigLine[], objects: ReadonlySet<string>): ConfigLine[] {
  return lines.filter((line) => {
    const object = objectOf(line);
    return object !== undefined && objects.has(object);
  });
}

export function keyOf(line: ConfigLine): string {
  return line.join('\n');
}

export interface LineChange {
  readonly kind: 'add' | 'remove';
  readonly line: ConfigLine;
}

/** Returns the lines to add to and to remove from `from`. */
export function diffLines(from: readonly ConfigLine[], to: readonly ConfigLine[]): LineChange[] {
  const [old, next] = [new Set(from.map(keyOf)), new Set(to.map(keyOf))];
  return [
    ...from.filter((line) => !next.has(keyOf(line))).map((line) => ({ kind: 'remove' as const, line })),
    ...to.filter((line) => !old.has(keyOf(line))).map((line) => ({ kind: 'add' as const, line })),
  ];
}

interface Command {
  readonly blocks: ConfigLine;
  readonly text: string;
}

/** The commands that add the lines, in their order. */
export function toAdditions(lines: readonly ConfigLine[]): string {
  return toText(lines.map((line) => ({ blocks: line.slice(0, -1), text: line.at(-1) ?? '' })));
}

/** The commands that remove the lines. The lines of a removed block go with it. */
export function toRemovals(lines: readonly ConfigLine[]): string {
  const removed = new Set(lines.map(keyOf));
  const isIn = (blocks: ConfigLine) =>
    blocks.some((block, i) => !isFamily(block) && removed.has(keyOf(blocks.slice(0, i + 1))));
  const commands = lines.flatMap((line) => {
    const [blocks, text] = [line.slice(0, -1), line.at(-1) ?? ''];
    return isFamily(text) || isIn(blocks) ? [] : [{ blocks, text: negate(text) }];
  });
  const byKey = new Map(commands.map((one) => [keyOf([...one.blocks, one.text]), one]));
  return toText([...byKey.values()]);
}

/** FRR has no command that removes the block of an address family. */
function isFamily(text: string): boolean {
  return text.startsWith('address-family ');
}

function toText(commands: readonly Command[]): string {
  const lines: string[] = [];
  let open: ConfigLine = [];
  const close = () => {
    for (const block of open.toReversed()) lines.push(isFamily(block) ? 'exit-address-family' : 'exit');
  };
  for (const { blocks, text } of commands) {
    if (keyOf(blocks) !== keyOf(open)) {
      close();
      lines.push(...blocks);
      open = blocks;
    }
    lines.push(text);
    // The command opened a block.
    if (/^(?:router bgp|route-map|profile) |^address-family /.test(text))
      lines.push(isFamily(text) ? 'exit-address-family' : 'exit');
  }
  close();
  return lines.map((line) => `${line}\n`).join('');
}

/** Ends of commands that FRR does not want repeated when it removes them. */
const SHORTENED = [
  /^(neighbor \S+ description) .*/,
  /^(neighbor \S+ password) .*/,
  /^(neighbor \S+ timers connect) .*/,
  /^(neighbor \S+ bfd profile) .*/,
  /^(description) .*/,
  /^(set as-path prepend) .*/,
];

function negate(text: string): string {
  if (text.startsWith('no ')) return text.slice(3);
  // Without its AS or its group, a neighbour does not exist. The next pass adds the rest again.
  const [, session] = /^neighbor (\S+) (?:remote-as \d+|peer-group \S+)$/.exec(text) ?? [];
  if (session !== undefined) return `no neighbor ${session}`;
  for (const pattern of SHORTENED) {
    const [, start] = pattern.exec(text) ?? [];
    if (start !== undefined) return `no ${start}`;
  }
  return `no ${text}`;
}

const SECRET = /^(neighbor \S+ password) .*/;

/** The line as people see it. */
export function hideSecrets(line: ConfigLine): ConfigLine {
  return line.map((text) => text.replace(SECRET, '$1 (hidden)'));
}
