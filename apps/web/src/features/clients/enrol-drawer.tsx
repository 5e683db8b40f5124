import { Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { ApiFormBody, UrlDrawer, useApiForm, useWrite } from '../../ui/index.ts';
import { LabelLines } from './client-labels.tsx';
import { EnrolCommand } from './enrol-command.tsx';
import { LIFETIME_DEFAULT, LIFETIMES, NOTE_MAX } from './enrolment.ts';
import { texts } from './enrolment-texts.tsx';
import { parseLabelLines } from './label-lines.ts';
import { texts as labelTexts } from './label-texts.ts';
import type { CreatedToken } from './model.ts';

const text = texts.enrolDrawer;

/** `?enrol=new`: creates a token and shows the command. Only this component holds the secret. */
export function EnrolDrawer() {
  return (
    <UrlDrawer name="enrol" value="new" title={text.drawer.title} size="lg" holdsSecret>
      {() => <Enrol />}
    </UrlDrawer>
  );
}

function Enrol() {
  const [created, setCreated] = useState<CreatedToken>();
  if (created) return <EnrolCommand created={created} onAgain={() => setCreated(undefined)} />;
  return <EnrolForm onCreated={setCreated} />;
}

function EnrolForm({ onCreated }: { onCreated: (token: CreatedToken) => void }) {
  const project = useProject();
  const write = useWrite();
  const [lines, setLines] = useState('');
  const parsed = parseLabelLines(lines);
  const labels = 'labels' in parsed ? parsed.labels : undefined;
  const form = useApiForm({
    route: routes.enrolment.createToken,
    initial: { note: '', lifetime: LIFETIME_DEFAULT },
    send: async ({ note, lifetime }) => {
      const input = {
        query: { project: project.id },
        body: { ttl_s: Number(lifetime), ...(labels && { labels }), ...(note.trim() && { note: note.trim() }) },
      };
      onCreated((await write(routes.enrolment.createToken, input, { stale: [routes.enrolment.listTokens] })).body);
    },
  });
  return (
    <ApiFormBody form={form} action={text.form.create} failed={text.form.failed} isReady={labels !== undefined}>
      <Text>{text.form.whatHappens(<bdi>{project.name}</bdi>)}</Text>
      <TextInput
        label={text.form.note}
        description={text.form.noteHint}
        placeholder={text.form.noteExample}
        maxLength={NOTE_MAX}
        {...form.field('note')}
        data-autofocus
      />
      <LabelLines lines={lines} onChange={setLines} hint={labelTexts.form.optional} />
      <Select
        label={text.form.lifetime}
        description={text.form.lifetimeHint}
        data={[...LIFETIMES]}
        allowDeselect={false}
        {...form.field('lifetime')}
      />
      <HostNeeds />
    </ApiFormBody>
  );
}

function HostNeeds() {
  return (
    <div>
      <Text fw={600} mb={4}>
        {text.hostNeeds.title}
      </Text>
      <Text component="ul" pl="md" m={0}>
        <li>{text.hostNeeds.program(<span className="mono">{text.hostNeeds.programName}</span>)}</li>
        <li>{text.hostNeeds.wayToController}</li>
        <li>{text.hostNeeds.envoyBinary(<span className="mono">{text.hostNeeds.searchPath}</span>)}</li>
      </Text>
    </div>
  );
}
