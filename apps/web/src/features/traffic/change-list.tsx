import { Stack, Text } from '@mantine/core';
import { Section, Time } from '../../ui/index.ts';
import type { Change } from './marks.ts';
import { texts } from './texts.tsx';

const text = texts.marks;

const SHOWN = 10;

/** Lists the marks of the charts in words. */
export function ChangeList({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return null;
  return (
    <Section title={text.title}>
      <Stack component="ul" gap={4} m={0} pl="md" aria-label={text.title}>
        {changes.slice(0, SHOWN).map(({ id, at, actor, words }) => (
          <Text key={id} component="li" size="sm" style={{ overflowWrap: 'anywhere' }}>
            {text.by(actor, <bdi>{words}</bdi>)}{' '}
            <Text span inherit c="dimmed">
              <Time at={at} />
            </Text>
          </Text>
        ))}
      </Stack>
      {changes.length > SHOWN && (
        <Text size="sm" c="dimmed">
          {text.more(changes.length - SHOWN)}
        </Text>
      )}
    </Section>
  );
}
