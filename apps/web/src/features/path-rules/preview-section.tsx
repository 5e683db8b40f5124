import type { PathRenaming, PathRulesPreview } from '@flotilla/contract';
import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { call, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Notice, type PlainColumn, PlainTable, Problem, Section, useSending } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { type RuleLines, readRuleLines } from './rule-lines.ts';
import { texts } from './texts.tsx';

const text = texts.preview;

interface Shown {
  readonly lines: RuleLines;
  readonly answer: PathRulesPreview;
}

/** Shows what rules would do. Nothing is saved. */
export function PreviewSection() {
  const project = useProject();
  const sending = useSending();
  const [rules, setRules] = useState('');
  const [shown, setShown] = useState<Shown>();
  const lines = readRuleLines(rules);
  const run = () =>
    sending.send(async () => {
      const body = { rules: [...lines.rules] };
      const answer = await call(routes.pathRule.preview, { query: { project: project.id }, body });
      setShown({ lines, answer: answer.body });
    });
  return (
    <Section title={text.title}>
      <Stack gap="sm">
        <Textarea
          label={text.rules}
          description={text.hint}
          placeholder={text.placeholder}
          value={rules}
          onChange={({ currentTarget }) => setRules(currentTarget.value)}
          minRows={3}
          autosize
          maxRows={12}
          spellCheck={false}
          error={lines.broken.map((line) => text.problem(line, text.noPlaceholder)).join(' ') || undefined}
        />
        <Group gap="xs">
          <Button
            loading={sending.isBusy}
            disabled={lines.rules.length === 0 || lines.broken.length > 0}
            onClick={() => void run()}
          >
            {text.run}
          </Button>
        </Group>
        {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
        {shown !== undefined && <Result {...shown} />}
      </Stack>
    </Section>
  );
}

const RENAMINGS: readonly PlainColumn<PathRenaming>[] = [
  {
    id: 'from',
    header: text.from,
    isNarrow: true,
    cell: ({ method, host, normalized_path: path }) => <bdi>{`${method} ${host}${path}`}</bdi>,
  },
  { id: 'to', header: text.to, isNarrow: true, cell: ({ to }) => <bdi>{to.join(' ')}</bdi> },
  { id: 'calls', header: text.calls, align: 'right', cell: ({ seen_count: seen }) => seen.toLocaleString('en') },
];

type Match = PathRulesPreview['matches'][number] & { readonly rule: string };

const MATCHES: readonly PlainColumn<Match>[] = [
  { id: 'rule', header: text.rule, isNarrow: true, cell: ({ rule }) => <bdi>{rule}</bdi> },
  { id: 'segments', header: text.segments, isNarrow: true, cell: ({ segments }) => <bdi>{segments.join(', ')}</bdi> },
  { id: 'matched', header: text.matched, align: 'right', cell: ({ count }) => count.toLocaleString('en') },
];

function Result({ lines, answer }: Shown) {
  if (answer.problems.length > 0)
    return (
      <Notice tone="bad" title={text.broken}>
        {answer.problems.map(({ index, message }) => (
          <div key={index}>{text.problem(lines.lines[index] ?? index + 1, message)}</div>
        ))}
      </Notice>
    );
  const matches = answer.matches.map((match) => ({ ...match, rule: lines.rules[match.index]?.regex ?? '' }));
  return (
    <Stack gap="sm">
      <p className={layout.note} role="status">
        {text.result(answer.moves, answer.scanned, answer.merges)} {answer.truncated && text.truncated} {text.unknown}{' '}
        {answer.unforeseen > 0 && text.unforeseen(answer.unforeseen)}
      </p>
      <PlainTable name={text.matches} rows={matches} columns={MATCHES} rowId={({ index }) => String(index)} />
      {answer.renamings.length > 0 && (
        <PlainTable name={text.list} rows={answer.renamings} columns={RENAMINGS} rowId={({ operation_id: id }) => id} />
      )}
    </Stack>
  );
}
