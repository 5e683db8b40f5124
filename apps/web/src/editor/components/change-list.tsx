import { Anchor, Badge, Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { showValue } from '../merge/show-value.ts';
import { texts } from './texts.tsx';

const words = texts.changeList;

/** One entry of the API's structural diff. */
export interface DocumentChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: unknown;
  readonly after?: unknown;
}

const WORDS = {
  added: { sign: '+', word: words.kinds.added, color: 'green' },
  removed: { sign: '−', word: words.kinds.removed, color: 'red' },
  changed: { sign: '~', word: words.kinds.changed, color: 'blue' },
} as const;

const SHOWN_MAX = 500;

/** Lists the changes, one entry per place. Values that the API does not return are shown as private. */
export function ChangeList({ changes }: { readonly changes: readonly DocumentChange[] }) {
  if (changes.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {words.list.nothing}
      </Text>
    );
  }
  return (
    <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {changes.slice(0, SHOWN_MAX).map((change) => (
        <li key={`${change.change} ${change.path}`}>
          <Change {...change} />
        </li>
      ))}
      {changes.length > SHOWN_MAX && <li>{words.list.andMore(changes.length - SHOWN_MAX)}</li>}
    </Stack>
  );
}

function Change({ path, change, before, after }: DocumentChange) {
  const { sign, word, color } = WORDS[change];
  const isHidden = before === undefined && after === undefined;
  return (
    <div>
      <Group gap="xs" wrap="nowrap" align="baseline">
        <Badge size="sm" variant="outline" color={color} c="var(--mantine-color-text)" tt="none" flex="none">
          {sign} {word}
        </Badge>
        <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {path === '' ? words.change.wholeDocument : path}
        </Text>
      </Group>
      <Stack gap={2} mt={4} pl="xs">
        {isHidden && <Text size="sm">{words.change.private}</Text>}
        {before !== undefined && <Value label={change === 'changed' ? 'from' : ''} value={before} />}
        {after !== undefined && <Value label={change === 'changed' ? 'to' : ''} value={after} />}
      </Stack>
    </div>
  );
}

export function Value({ label, value }: { readonly label: string; readonly value: unknown }) {
  const [isOpen, setOpen] = useState(false);
  const { text, cut, isPrivate } = showValue(value);
  const shown = isOpen || cut === undefined ? text : `${cut} …`;
  return (
    <Group gap="xs" wrap="nowrap" align="baseline">
      {label !== '' && (
        <Text size="xs" w={30} flex="none">
          {label}
        </Text>
      )}
      <div style={{ minWidth: 0, flex: 1 }}>
        {isPrivate ? (
          <Text size="sm">{text}</Text>
        ) : (
          <Code
            block={text.includes('\n')}
            c="var(--mantine-color-text)"
            style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
          >
            {shown}
          </Code>
        )}
        {cut !== undefined && (
          <Anchor
            component="button"
            type="button"
            size="xs"
            onClick={() => setOpen((open) => !open)}
            aria-expanded={isOpen}
          >
            {isOpen ? words.value.anchorShowLess : words.value.anchor(text.length.toLocaleString('en'))}
          </Anchor>
        )}
      </div>
    </Group>
  );
}
