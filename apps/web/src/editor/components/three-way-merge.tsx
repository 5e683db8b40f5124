import { Alert, Button, Card, Code, Group, Radio, Stack, Text, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import { readDocument } from '../document/read.ts';
import type { Language } from '../document/tree.ts';
import type { Side } from '../merge/merge-documents.ts';
import { type Decision, startMerge } from '../merge/merge-session.ts';
import { showValue } from '../merge/show-value.ts';
import { CodeEditor } from './code-editor.tsx';
import { texts } from './texts.tsx';

const words = texts.threeWayMerge;

export interface ThreeWayMergeProps {
  /** The common ancestor. */
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
  readonly language: Language;
  /** Called with the merged text. */
  readonly onResolved: (text: string) => void;
  /** "ana, 3 minutes ago". */
  readonly theirsLabel?: string | undefined;
}

/** Merges two changes of one document. Changes that do not conflict are merged automatically; the user resolves the others. */
export function ThreeWayMerge({
  base,
  mine,
  theirs,
  language,
  onResolved,
  theirsLabel = 'theirs',
}: ThreeWayMergeProps) {
  const session = useMemo(() => startMerge({ base, mine, theirs }, language), [base, mine, theirs, language]);
  const [choices, setChoices] = useState<ReadonlyMap<string, Side>>(new Map());
  const [byHand, setByHand] = useState<string>();
  const resolved = useMemo(() => session.resolve(choices), [session, choices]);
  const result = byHand ?? resolved;
  const problem = useMemo(() => readDocument(result, language).problems[0], [result, language]);
  const open = session.decisions.filter(({ key }) => !choices.has(key)).length;
  const isOpen = byHand === undefined && open > 0;
  const count = session.decisions.length;

  return (
    <Stack gap="md">
      <Alert
        color={count === 0 ? 'green' : 'yellow'}
        variant="light"
        c="var(--mantine-color-text)"
        title={count === 0 ? words.merge.fits : words.merge.conflicts(count)}
      >
        {count === 0 ? words.merge.yoursKept : words.merge.othersKept}
      </Alert>
      {session.decisions.map((decision) => (
        <Choice
          key={decision.key}
          decision={decision}
          isText={session.kind === 'lines'}
          chosen={choices.get(decision.key)}
          theirsLabel={theirsLabel}
          onChoose={(side) => {
            setByHand(undefined);
            setChoices((before) => new Map(before).set(decision.key, side));
          }}
        />
      ))}
      <MergeResult result={result} language={language} isByHand={byHand !== undefined} onByHand={setByHand} />
      <Group justify="flex-end" gap="sm">
        <Text size="sm" role="status">
          {problem ? words.merge.resultInvalid(problem.message) : isOpen ? words.merge.stillOpen(open, count) : ''}
        </Text>
        <Button disabled={problem !== undefined || isOpen} onClick={() => onResolved(result)}>
          {words.merge.use}
        </Button>
      </Group>
    </Stack>
  );
}

interface MergeResultProps {
  readonly result: string;
  readonly language: Language;
  /** True: the user edits the result, instead of choosing sides. */
  readonly isByHand: boolean;
  /** Gets the edited result; undefined returns to the choices. */
  readonly onByHand: (text: string | undefined) => void;
}

function MergeResult({ result, language, isByHand, onByHand }: MergeResultProps) {
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Title order={2} size="h3">
          {words.merge.result}
        </Title>
        <Button size="compact-xs" variant="default" onClick={() => onByHand(isByHand ? undefined : result)}>
          {isByHand ? words.merge.backToChoices : words.merge.editByHand}
        </Button>
      </Group>
      <CodeEditor
        value={result}
        language={language}
        readOnly={!isByHand}
        onChange={onByHand}
        ariaLabel={words.merge.resultEditor}
        maxHeight="420px"
      />
    </div>
  );
}

interface ChoiceProps {
  readonly decision: Decision;
  /** Lines of a text, shown unchanged. */
  readonly isText: boolean;
  readonly chosen: Side | undefined;
  readonly theirsLabel: string;
  readonly onChoose: (side: Side) => void;
}

function Choice({ decision, isText, chosen, theirsLabel, onChoose }: ChoiceProps) {
  const sides: readonly (readonly [Side, string])[] = [
    ['mine', words.choice.mine],
    ['theirs', theirsLabel === 'theirs' ? words.choice.theirs : words.choice.theirsOf(theirsLabel)],
    ['base', words.choice.base],
  ];
  return (
    <Card withBorder padding="sm">
      <Radio.Group
        value={chosen ?? null}
        onChange={(value) => {
          const side = sides.find(([name]) => name === value)?.[0];
          if (side) onChoose(side);
        }}
        label={
          <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {decision.title}
          </Text>
        }
      >
        <Stack gap="xs" mt="xs">
          {sides.map(([side, label]) => (
            <div key={side}>
              <Radio value={side} label={label} />
              <SideValue value={decision[side]} isText={isText} />
            </div>
          ))}
        </Stack>
      </Radio.Group>
    </Card>
  );
}

function SideValue({ value, isText }: { readonly value: unknown; readonly isText: boolean }) {
  if (value === undefined) {
    return (
      <Text size="sm" pl={32} c="dimmed">
        {words.sideValue.missing}
      </Text>
    );
  }
  const text = isText && typeof value === 'string' ? value : showValue(value).text;
  return (
    <Code
      block
      ml={32}
      mt={4}
      mah={220}
      c="var(--mantine-color-text)"
      style={{ whiteSpace: 'pre-wrap', overflow: 'auto' }}
      tabIndex={0}
    >
      {text}
    </Code>
  );
}
