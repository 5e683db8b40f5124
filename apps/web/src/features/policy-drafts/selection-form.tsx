import { POLICY_DRAFT_PARTS } from '@flotilla/contract';
import { Button, Checkbox, Group, MultiSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Facts } from '../../ui/index.ts';
import { useRiskFlags } from '../inventory/index.ts';
import { texts } from './texts.tsx';
import type { Selection } from './use-selection.ts';

const text = texts.draft;

/** Chooses the operations of the draft. A link may have chosen endpoints; otherwise a host and flags do. */
export function SelectionForm({ selection, isBusy }: { readonly selection: Selection; readonly isBusy: boolean }) {
  const { url, findings, operations, groups, parts } = selection;
  const { flags: catalogue } = useRiskFlags();
  const [host, setHost] = useState(selection.host ?? '');
  const [flags, setFlags] = useState<readonly string[]>(selection.flags);
  const [chosen, setChosen] = useState<readonly string[]>(parts);
  const endpoints = operations.length + groups.length;
  const isChosen = endpoints + findings.length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    url.set({ host: host.trim() || undefined, flag: [...flags], part: [...chosen] }, 'push');
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={680}>
        {isChosen && (
          <Facts
            facts={[
              [text.operations, endpoints > 0 ? text.operationsOf(endpoints) : undefined],
              [text.findings, findings.length > 0 ? text.findingsOf(findings.length) : undefined],
            ]}
          />
        )}
        <TextInput
          label={text.host}
          description={text.hostHint}
          maxLength={255}
          value={host}
          onChange={(event) => setHost(event.currentTarget.value)}
        />
        {!isChosen && (
          <MultiSelect
            label={text.flags}
            description={text.flagsHint}
            data={catalogue.map(({ flag, title }) => ({ value: flag, label: title }))}
            value={[...flags]}
            onChange={setFlags}
            searchable
            clearable
          />
        )}
        <Checkbox.Group label={text.parts} value={[...chosen]} onChange={setChosen}>
          <Stack gap={6} mt={4}>
            {POLICY_DRAFT_PARTS.map((part) => (
              <Checkbox key={part} value={part} label={text.partNames[part]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group>
          <Button type="submit" loading={isBusy} disabled={chosen.length === 0}>
            {text.make}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
