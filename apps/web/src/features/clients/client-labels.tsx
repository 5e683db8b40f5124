import { Button, Group, Modal, Stack, Table, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call, invalidate, routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Problem, Section, sayDone, Time } from '../../ui/index.ts';
import { useSending } from '../../ui/use-sending.ts';
import classes from './client.module.css';
import { deriveLabelChanges, formatLabelLines, parseLabelLines } from './label-lines.ts';
import { texts } from './label-texts.ts';
import type { WholeClient } from './model.ts';

const text = texts.labels;

/** The labels of a client with who set them, and a form that changes them. */
export function ClientLabels({ client }: { client: WholeClient }) {
  const can = useCan();
  const [isEditing, setEditing] = useState(false);
  return (
    <Section
      title={text.title}
      actions={
        can(routes.client.setLabels) && (
          <Button variant="default" size="xs" onClick={() => setEditing(true)}>
            {text.edit}
          </Button>
        )
      }
    >
      {client.labels.length === 0 ? (
        <span className={classes.dimmed}>{text.none}</span>
      ) : (
        <LabelTable client={client} />
      )}
      <Modal opened={isEditing} onClose={() => setEditing(false)} title={texts.form.title} size="lg">
        <LabelForm client={client} onClose={() => setEditing(false)} />
      </Modal>
    </Section>
  );
}

function LabelTable({ client: { labels } }: { client: WholeClient }) {
  const project = useProject();
  return (
    <Table.ScrollContainer minWidth={480} type="native">
      <Table aria-label={text.table} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.key}</Table.Th>
            <Table.Th>{text.value}</Table.Th>
            <Table.Th>{text.origin}</Table.Th>
            <Table.Th>{text.at}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {labels.map(({ key, value, origin, set_by: by, set_at: at }) => (
            <Table.Tr key={key}>
              <Table.Td>
                <Link
                  to="/p/$project/clients"
                  params={{ project: project.name }}
                  search={{ label: `${key}=${value}` }}
                  aria-label={text.show(`${key}=${value}`)}
                >
                  <bdi className="mono">{key}</bdi>
                </Link>
              </Table.Td>
              <Table.Td className={classes.anywhere}>
                <bdi>{value || '–'}</bdi>
              </Table.Td>
              <Table.Td>
                <bdi>{by ?? text.origins[origin]}</bdi>
              </Table.Td>
              <Table.Td>
                <Time at={at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function LabelForm({ client, onClose }: { client: WholeClient; onClose: () => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  const { isBusy, error, send } = useSending();
  // The labels when the form was opened: only what the user changes is sent.
  const [opened] = useState(client.labels);
  const [lines, setLines] = useState(() => formatLabelLines(opened));
  const parsed = parseLabelLines(lines);
  const save = async () => {
    if (!('labels' in parsed)) return;
    const before = Object.fromEntries(opened.map(({ key, value }) => [key, value]));
    const isSaved = await send(() =>
      call(routes.client.setLabels, {
        params: { client_id: client.client_id },
        query: { project: project.id },
        body: { labels: deriveLabelChanges(before, parsed.labels) },
      }),
    );
    if (!isSaved) return;
    void invalidate(queryClient, routes.client.read);
    sayDone(texts.form.saved);
    onClose();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Stack gap="md">
        <LabelLines lines={lines} onChange={setLines} hint={texts.form.linesHint} />
        {error !== undefined && <Problem error={error} what={texts.form.failed} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {texts.form.cancel}
          </Button>
          <Button type="submit" loading={isBusy} disabled={!('labels' in parsed)}>
            {texts.form.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface LabelLinesProps {
  readonly lines: string;
  readonly onChange: (lines: string) => void;
  readonly hint: string;
}

/** An input for labels, one per line. Says what is wrong with them. */
export function LabelLines({ lines, onChange, hint }: LabelLinesProps) {
  const parsed = parseLabelLines(lines);
  return (
    <Textarea
      label={texts.form.lines}
      description={hint}
      placeholder={texts.form.example}
      error={'problem' in parsed ? parsed.problem : undefined}
      autosize
      minRows={2}
      maxRows={12}
      value={lines}
      onChange={(event) => onChange(event.currentTarget.value)}
      spellCheck={false}
      data-autofocus
    />
  );
}
