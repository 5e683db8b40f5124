import { INVENTORY_STALE_DAYS_DEFAULT, INVENTORY_STALE_DAYS_MAX, INVENTORY_STALE_DAYS_MIN } from '@flotilla/contract';
import { List, NumberInput, Radio, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { invalidate, routes } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { Confirm, Loaded, sayDone, Time } from '../../../ui/index.ts';
import { type BulkInput, type BulkName, callBulk } from './bulk-call.ts';
import { texts } from './texts.tsx';

const STALE_READS = [
  routes.inventory.list,
  routes.inventory.attackSurface,
  routes.inventory.groups,
  routes.inventory.listeners,
  routes.inventory.get,
  routes.inventory.riskSummary,
] as const;

interface BulkDialogProps extends Pick<BulkInput, 'filtered'> {
  readonly name: BulkName;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks before many endpoints are changed. The number comes from a dry run; nothing can be confirmed before it is there. */
export function BulkDialog({ name, filtered, isOpen, onClose }: BulkDialogProps) {
  const project = useProject();
  const client = useQueryClient();
  const [isFiltered, setFiltered] = useState(filtered !== undefined);
  const [days, setDays] = useState(INVENTORY_STALE_DAYS_DEFAULT);
  const words = texts.actions[name];
  const hasScope = name === 'reset' || name === 'delete';
  const input = { name, project: project.id, filtered: hasScope && isFiltered ? filtered : undefined, days };
  const counted = useQuery({
    queryKey: ['inventory-bulk', input],
    queryFn: () => callBulk(input, true),
    enabled: isOpen,
    // Traffic changes the number.
    gcTime: 0,
    retry: false,
  });
  const confirm = async () => {
    const { count } = await callBulk(input, false);
    sayDone(words.done(count));
    void invalidate(client, ...STALE_READS);
  };
  return (
    <Confirm
      opened={isOpen}
      title={words.title}
      action={words.action}
      isDangerous={name === 'delete' || name === 'stale'}
      isReady={(counted.data?.count ?? 0) > 0 && !counted.isFetching}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack gap="md">
        {hasScope && filtered !== undefined && <ScopeChoice isFiltered={isFiltered} onChange={setFiltered} />}
        {name === 'stale' && <DaysField days={days} onChange={setDays} />}
        <div role="status">
          <Loaded query={counted} what={texts.counting} skeleton={1}>
            {({ count, cutoff }) => (
              <Text fw={600}>
                {count === 0 ? texts.nothing : words.affected(count)}{' '}
                {count > 0 && cutoff !== undefined && texts.since(<Time at={cutoff} />)}
              </Text>
            )}
          </Loaded>
        </div>
        <List spacing="xs">
          {[...words.consequences, texts.audited].map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      </Stack>
    </Confirm>
  );
}

function ScopeChoice({ isFiltered, onChange }: { isFiltered: boolean; onChange: (isFiltered: boolean) => void }) {
  return (
    <Radio.Group
      label={texts.scope}
      value={isFiltered ? 'filtered' : 'all'}
      onChange={(value) => onChange(value === 'filtered')}
    >
      <Stack gap={6} mt={6}>
        <Radio value="filtered" label={texts.scopes.filtered} />
        <Radio value="all" label={texts.scopes.all} />
      </Stack>
    </Radio.Group>
  );
}

function DaysField({ days, onChange }: { days: number; onChange: (days: number) => void }) {
  return (
    <NumberInput
      label={texts.days}
      value={days}
      min={INVENTORY_STALE_DAYS_MIN}
      max={INVENTORY_STALE_DAYS_MAX}
      clampBehavior="blur"
      allowDecimal={false}
      onChange={(value) => {
        const isValid =
          typeof value === 'number' && value >= INVENTORY_STALE_DAYS_MIN && value <= INVENTORY_STALE_DAYS_MAX;
        if (isValid) onChange(value);
      }}
    />
  );
}
