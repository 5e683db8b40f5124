import type { HaPair } from '@flotilla/contract';
import { NumberInput, Select, Text, Textarea } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { ApiFormBody, FormDialog, Loaded, Notice, useApiForm, useWrite } from '../../ui/index.ts';
import type { Candidate } from './model.ts';
import { parseLines } from './pair-values.ts';
import { texts } from './texts.ts';
import { listStale, usePairPlace } from './use-pairs.ts';

const text = texts.addMember;

interface AddMemberDialogProps {
  readonly pair: HaPair;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Fills the vacant slot of a pair. */
export function AddMemberDialog({ pair, isOpen, onClose }: AddMemberDialogProps) {
  return (
    <FormDialog of={isOpen ? pair : undefined} title={({ name }) => text.title(name)} size="lg" onClose={onClose}>
      {(asked) => <AddMember pair={asked} onClose={onClose} />}
    </FormDialog>
  );
}

function AddMember({ pair, onClose }: { pair: HaPair; onClose: () => void }) {
  const project = useProject();
  const candidates = useApi(
    routes.ha.eligible,
    { query: { project: project.id, for_pair: pair.id } },
    { topics: ['client', 'ha_pair', 'service'] },
  );
  return (
    <Loaded query={candidates} what={texts.form.what}>
      {({ body: { items } }) => <MemberForm pair={pair} candidates={items} onClose={onClose} />}
    </Loaded>
  );
}

interface MemberFormProps {
  readonly pair: HaPair;
  readonly candidates: readonly Candidate[];
  readonly onClose: () => void;
}

function MemberForm({ pair, candidates, onClose }: MemberFormProps) {
  const write = useWrite();
  const place = usePairPlace(pair);
  const form = useApiForm({
    route: routes.ha.addMember,
    initial: { client: '', priority: pair.vacancy?.priority ?? 100, interfaces: '' },
    check: ({ interfaces }) => ({ interfaces: explainInterfaces(interfaces) }),
    send: async ({ client, priority, interfaces }) => {
      const given = parseLines(interfaces);
      const body = {
        client_id: client,
        priority: Number(priority),
        ...(given.length > 0 && { interfaces: Object.fromEntries(given.map(splitLine)) }),
      };
      const name = candidates.find(({ client_id: id }) => id === client)?.name ?? client;
      await write(routes.ha.addMember, { ...place, body }, { done: text.done(name), stale: listStale() });
      onClose();
    },
  });
  if (!candidates.some(({ selectable }) => selectable) && candidates.length === 0)
    return <Notice tone="quiet" title={text.none} />;
  return (
    <ApiFormBody
      form={form}
      action={text.submit}
      failed={text.failed}
      isReady={form.values.client !== ''}
      onCancel={onClose}
    >
      <Text>{text.lead}</Text>
      <Select
        label={text.client}
        placeholder={text.choose}
        searchable
        data={candidates.map(toOption)}
        value={form.values.client === '' ? null : form.values.client}
        onChange={(client) => form.set('client', client ?? '')}
        data-autofocus
      />
      <NumberInput
        label={texts.form.priority}
        description={texts.form.priorityHint}
        allowDecimal={false}
        clampBehavior="none"
        {...form.field('priority')}
      />
      <Textarea
        label={text.interfaces}
        description={text.interfacesHint}
        placeholder={text.interfacesExample}
        autosize
        minRows={2}
        {...form.field('interfaces')}
      />
    </ApiFormBody>
  );
}

/** Clients that cannot join are listed with the reason. */
function toOption({ client_id: value, name, selectable, disabled_reason: reason }: Candidate) {
  const label = reason && !selectable ? `${name} (${texts.form.disabled[reason].toLowerCase()})` : name;
  return { value, label, disabled: !selectable };
}

function splitLine(line: string): [service: string, id: string] {
  const at = line.lastIndexOf('=');
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

function explainInterfaces(lines: string): string | undefined {
  const wrong = parseLines(lines).find((line) => splitLine(line).some((part) => part === '') || !line.includes('='));
  return wrong === undefined ? undefined : text.wrongInterface(wrong);
}
