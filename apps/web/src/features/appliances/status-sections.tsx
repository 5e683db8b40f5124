import { type ApplianceStatus, readApplianceStatus } from '@flotilla/contract';
import { Button, Stack } from '@mantine/core';
import { Facts, Loaded, Notice, type PlainColumn, PlainTable, Section, State, type Tone } from '../../ui/index.ts';
import { texts } from './texts.ts';
import { explainOutcome, useApplianceStatus } from './use-appliance.ts';

type HealthItem = ApplianceStatus['health'][number];

const SEVERITIES: Readonly<
  Record<HealthItem['severity'], { readonly tone: Tone; readonly shape: 'full' | 'triangle' }>
> = {
  OK: { tone: 'good', shape: 'full' },
  INFO: { tone: 'quiet', shape: 'full' },
  WARN: { tone: 'warn', shape: 'triangle' },
  CRIT: { tone: 'bad', shape: 'triangle' },
};

/** The blocks of the status of a host. Blocks that the host cannot tell are listed with the reason. */
export function StatusSections({ clientId }: { clientId: string }) {
  const query = useApplianceStatus(clientId);
  return (
    <Loaded query={query} what={texts.what} skeleton={6}>
      {({
        body: {
          results: [result],
        },
      }) => {
        const status = result?.outcome === 'done' ? readApplianceStatus(result.result) : undefined;
        const again = (
          <Button variant="default" size="xs" loading={query.isFetching} onClick={() => void query.refetch()}>
            {texts.askAgain}
          </Button>
        );
        if (status) return <Blocks status={status} again={again} />;
        return (
          <Stack gap="sm" align="flex-start">
            <Notice tone="bad" title={texts.failed}>
              {explainOutcome(result)}
            </Notice>
            {again}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function Blocks({ status, again }: { status: ApplianceStatus; again: React.ReactNode }) {
  const { health, compliance, components } = status;
  return (
    <Stack gap="lg">
      <Section title={texts.health.title} actions={again}>
        <PlainTable
          name={texts.health.title}
          rows={health}
          columns={HEALTH_COLUMNS}
          rowId={({ area, message }) => `${area} ${message}`}
        />
      </Section>
      <Section title={texts.system.title}>
        <Facts facts={listFacts(status)} />
      </Section>
      {compliance.length > 0 && (
        <Section title={texts.compliance.title}>
          <PlainTable
            name={texts.compliance.title}
            rows={compliance}
            columns={COMPLIANCE_COLUMNS}
            rowId={({ check }) => check}
          />
        </Section>
      )}
      <Section title={texts.components.title}>
        <PlainTable
          name={texts.components.title}
          rows={components}
          columns={COMPONENT_COLUMNS}
          rowId={({ name, source }) => `${name} ${source}`}
        />
      </Section>
    </Stack>
  );
}

const HEALTH_COLUMNS: readonly PlainColumn<HealthItem>[] = [
  { id: 'area', header: texts.health.area, isNarrow: true, cell: ({ area }) => area },
  {
    id: 'severity',
    header: texts.health.severity,
    isNarrow: true,
    cell: ({ severity }) => <State word={texts.severities[severity]} {...SEVERITIES[severity]} />,
  },
  { id: 'message', header: texts.health.message, isNarrow: true, cell: ({ message }) => message },
];

const COMPLIANCE_COLUMNS: readonly PlainColumn<ApplianceStatus['compliance'][number]>[] = [
  {
    id: 'check',
    header: texts.compliance.check,
    isNarrow: true,
    cell: ({ check }) => texts.compliance.checks[check] ?? check,
  },
  {
    id: 'result',
    header: texts.compliance.result,
    isNarrow: true,
    cell: ({ ok }) =>
      ok ? (
        <State word={texts.compliance.ok} tone="good" shape="full" />
      ) : (
        <State word={texts.compliance.notOk} tone="warn" shape="triangle" />
      ),
  },
  { id: 'value', header: texts.compliance.value, cell: ({ value }) => <span className="mono">{value}</span> },
  { id: 'source', header: texts.compliance.source, cell: ({ source }) => <span className="mono">{source}</span> },
];

const COMPONENT_COLUMNS: readonly PlainColumn<ApplianceStatus['components'][number]>[] = [
  { id: 'name', header: texts.components.name, isNarrow: true, cell: ({ name }) => name },
  {
    id: 'version',
    header: texts.components.version,
    isNarrow: true,
    cell: ({ version }) => <span className="mono">{version}</span>,
  },
  { id: 'source', header: texts.components.source, cell: ({ source }) => <span className="mono">{source}</span> },
];

/** The controller does not keep the order of the answer. */
const INFO_NAMES = Object.keys(texts.info);

function listFacts({ info, upgrade, network, firewall, bootSlots, unavailable }: ApplianceStatus) {
  const text = texts.system;
  const slots = (bootSlots?.slots ?? []).map((slot) => {
    const words = [slot.booted && text.running, slot.next && text.next, slot.healthy === false && text.unhealthy];
    return [text.slot(slot.slot), [slot.name, slot.version, ...words].filter(Boolean).join(', ')] as const;
  });
  return [
    ...info
      .toSorted(([a], [b]) => INFO_NAMES.indexOf(a) - INFO_NAMES.indexOf(b))
      .map(([name, value]) => [texts.info[name] ?? name, value] as const),
    [text.restart, upgrade && (upgrade.rebootRequired ? upgrade.reasons.join(' ') : text.no)] as const,
    [text.network, network && (network.isUnconfirmed ? text.unconfirmed(network.revertInS) : text.confirmed)] as const,
    [text.firewall, firewall && text.rules(firewall.rules, firewall.chains.length)] as const,
    ...slots,
    ...unavailable.map(({ block, reason }) => {
      const name = texts.blocks[block] ?? block;
      return [`${name}: ${texts.unavailable.toLowerCase()}`, reason] as const;
    }),
  ];
}
