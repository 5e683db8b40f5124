import { Button, Select, TextInput, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconDownload, IconSearch } from '@tabler/icons-react';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, Loaded, Notice, Section } from '../../../ui/index.ts';
import { downloadText } from '../../../ui/table/csv.ts';
import { Code, FormatChoice, toCode, useCodeFormat } from '../document/code.tsx';
import { ResourceName } from '../nodes/resource-table.tsx';
import { toKind } from '../resource-kind.ts';
import classes from '../service.module.css';
import type { ServiceDetail, Snapshot } from '../types.ts';
import { useKnownDocuments } from '../use-service.ts';
import { listSections } from './sections.ts';
import { texts } from './texts.tsx';

const words = texts.configurationTab;

/** Shows the generated configuration of one node, as it is sent to its Envoy (`?at=<client id>&find=&open=`). */
export function ConfigurationTab({ detail: { service, nodes } }: { detail: ServiceDetail }) {
  const project = useProject();
  const url = useUrlState();
  const format = useCodeFormat();
  const deployed = nodes.filter((node) => node.deployed);
  const node = deployed.find(({ client_id }) => client_id === url.get('at')) ?? deployed[0];
  const query = useApi(
    routes.snapshot.getNodeSnapshot,
    { params: { nodeID: node?.node_id ?? '' }, query: { project: project.id } },
    { topics: ['service', 'document', 'policy'], enabled: node !== undefined },
  );
  if (!node) return <Empty title={words.tab.emptyTitle}>{words.tab.empty}</Empty>;
  const download = (body: Snapshot) =>
    downloadText(
      `${service.name}-${node.client_name}.${format}`,
      format === 'json' ? 'application/json' : 'application/yaml',
      toCode({ bootstrap: body.bootstrap, resources: body.resources.map(({ resource }) => resource) }, format),
    );
  return (
    <div className={classes.stack}>
      <div className={classes.bar}>
        <Select
          size="xs"
          aria-label={words.tab.node}
          data={deployed.map(({ client_id, client_name }) => ({ value: client_id, label: client_name }))}
          value={node.client_id}
          onChange={(at) => url.set({ at: at ?? undefined })}
          allowDeselect={false}
          searchable={deployed.length > 8}
        />
        <TextInput
          size="xs"
          type="search"
          aria-label={words.tab.search}
          placeholder={words.tab.searches}
          leftSection={<IconSearch size={14} />}
          value={url.get('find') ?? ''}
          onChange={(event) => url.set({ find: event.currentTarget.value || undefined })}
        />
        <FormatChoice />
        <span className={classes.grow} />
        {query.data && (
          <Button
            variant="default"
            leftSection={<IconDownload size={14} />}
            onClick={() => query.data && download(query.data.body)}
          >
            {words.tab.download}
          </Button>
        )}
      </div>
      <Loaded query={query} what={words.tab.what} skeleton={10}>
        {({ body }) => <SnapshotView snapshot={body} service={service} />}
      </Loaded>
    </div>
  );
}

function SnapshotView({ snapshot, service }: { snapshot: Snapshot; service: ServiceDetail['service'] }) {
  const url = useUrlState();
  const find = url.get('find') ?? '';
  const open = url.all('open');
  const sections = listSections(snapshot.resources, find);
  const toggle = (key: string) => {
    const next = open.includes(key) ? open.filter((one) => one !== key) : [...open, key];
    url.set({ open: next.length > 0 ? next : undefined });
  };
  const hasBootstrap = find === '' || JSON.stringify(snapshot.bootstrap).toLowerCase().includes(find.toLowerCase());
  return (
    <>
      <SnapshotErrors errors={snapshot.errors} />
      <p className={classes.quiet} style={{ margin: 0 }}>
        {words.snapshot.madeFor(
          <span className="mono">{snapshot.snapshot_version}</span>,
          snapshot.version,
          snapshot.resources.length,
        )}
      </p>
      {sections.map((section) => (
        <Section key={section.type} title={`${section.title} (${section.resources.length})`} isPanel>
          <ul className={classes.lines}>
            {section.resources.map((one) => {
              const key = `${one.type}/${one.name}`;
              return (
                <ResourceLine
                  key={key}
                  resource={one}
                  service={service}
                  isOpen={open.includes(key)}
                  onToggle={() => toggle(key)}
                />
              );
            })}
          </ul>
        </Section>
      ))}
      {hasBootstrap && (
        <Bootstrap
          bootstrap={snapshot.bootstrap}
          isOpen={open.includes('bootstrap')}
          onToggle={() => toggle('bootstrap')}
        />
      )}
      {sections.length === 0 && !hasBootstrap && <p className={classes.quiet}>{words.snapshot.nothingFound}</p>}
    </>
  );
}

function SnapshotErrors({ errors }: Pick<Snapshot, 'errors'>) {
  if (errors.length === 0) return null;
  return (
    <Notice tone="bad" title={words.snapshot.incomplete}>
      <ul>
        {errors.map((error) => (
          <li key={`${error.document} ${error.path} ${error.message}`}>
            <span className="mono">
              {error.document} {error.path}
            </span>{' '}
            {error.message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

interface ResourceLineProps {
  readonly resource: Snapshot['resources'][number];
  readonly service: ServiceDetail['service'];
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function ResourceLine({ resource, service, isOpen, onToggle }: ResourceLineProps) {
  const known = useKnownDocuments(service);
  return (
    <li className={classes.line}>
      <Toggle isOpen={isOpen} label={words.snapshot.contentOf(resource.name)} onClick={onToggle} />
      <span className={classes.name}>
        <ResourceName resource={resource} version={service.version} known={known} />
      </span>
      {resource.depends_on.length > 0 && (
        <span className={classes.side}>{words.needs(resource.depends_on.map(nameDependency).join(', '))}</span>
      )}
      {isOpen && (
        <div className={classes.whole}>
          <Code value={resource.resource} label={resource.name} />
        </div>
      )}
    </li>
  );
}

interface BootstrapProps extends Pick<Snapshot, 'bootstrap'> {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Bootstrap({ bootstrap, isOpen, onToggle }: BootstrapProps) {
  return (
    <Section title={words.snapshot.bootstrap} isPanel>
      <ul className={classes.lines}>
        <li className={classes.line}>
          <Toggle isOpen={isOpen} label={words.snapshot.contentOfBootstrap} onClick={onToggle} />
          <span className={classes.name}>{words.snapshot.envoyStartsWith}</span>
          {isOpen && (
            <div className={classes.whole}>
              <Code value={bootstrap} label={words.snapshot.bootstrapCode} />
            </div>
          )}
        </li>
      </ul>
    </Section>
  );
}

/** A dependency is `type/name`. The name may contain slashes. */
function nameDependency(dependency: string): string {
  const slash = dependency.indexOf('/');
  return `${toKind(dependency.slice(0, slash)).label.toLowerCase()} ${dependency.slice(slash + 1)}`;
}

function Toggle({ isOpen, label, onClick }: { isOpen: boolean; label: string; onClick: () => void }) {
  return (
    <UnstyledButton
      aria-expanded={isOpen}
      aria-label={label}
      onClick={onClick}
      style={{ display: 'inline-flex', alignSelf: 'center' }}
    >
      {isOpen ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
    </UnstyledButton>
  );
}
