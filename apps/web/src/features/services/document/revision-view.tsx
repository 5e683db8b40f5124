import { Button, Group, SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { beforeNothing } from '../../../changes/index.ts';
import { Loaded, Section, Time } from '../../../ui/index.ts';
import { type ServiceDraft, toDraft } from '../editing/draft.ts';
import type { ServiceRevision, WholeService } from '../types.ts';
import { Code, FormatChoice } from './code.tsx';
import { ServiceChanges } from './service-changes.tsx';
import { texts } from './texts.tsx';

const text = texts.revisionView;

interface RevisionViewProps {
  readonly service: WholeService;
  readonly revision: number;
  readonly actions: ReactNode;
  readonly onClose: () => void;
}

/** Shows one revision: its changes, the difference to the current one, or its full text (`?with=`). */
export function RevisionView({ service, revision, actions, onClose }: RevisionViewProps) {
  const project = useProject();
  const url = useUrlState();
  const query = useApi(routes.service.revision, inputOf(project.id, service, revision));
  const compared = url.get('with') ?? 'before';
  return (
    <Section
      title={text.title(revision)}
      actions={
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={text.show}
            value={compared}
            onChange={(value) => url.set({ with: value === 'before' ? undefined : value })}
            data={[
              { value: 'before', label: text.before },
              { value: 'current', label: text.current },
              { value: 'whole', label: text.whole },
            ]}
          />
          <FormatChoice />
          {actions}
          <Button variant="default" onClick={onClose}>
            {text.backToCurrent}
          </Button>
        </Group>
      }
    >
      <Loaded query={query} what={text.title(revision)} skeleton={6}>
        {({ body }) => {
          const { project: _, ...document } = body.document;
          return (
            <>
              <p style={{ margin: 0 }}>{text.madeBy(<Time at={body.at} />, <bdi>{body.by}</bdi>)}</p>
              {compared === 'whole' ? (
                <Code value={document} label={text.code(revision)} />
              ) : (
                <Changes {...{ service, revision }} shown={toVersion(body)} isWithCurrent={compared === 'current'} />
              )}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

interface ChangesProps extends Pick<RevisionViewProps, 'service' | 'revision'> {
  readonly shown: ServiceDraft;
  readonly isWithCurrent: boolean;
}

/** Compares the revision with the current one, or the previous one with it. */
function Changes({ service, revision, shown, isWithCurrent }: ChangesProps) {
  const project = useProject();
  const isFirst = revision === 1;
  const input = inputOf(project.id, service, revision - 1);
  const previous = useApi(routes.service.revision, input, { enabled: !isFirst && !isWithCurrent });
  const [label, labelOfCurrent] = [text.title(revision), text.title(service.revision)];
  if (isWithCurrent)
    return <ServiceChanges before={shown} beforeLabel={label} after={toDraft(service)} afterLabel={labelOfCurrent} />;
  if (isFirst)
    return <ServiceChanges before={undefined} beforeLabel={beforeNothing} after={shown} afterLabel={label} />;
  return (
    <Loaded query={previous} what={text.revisionBefore(revision - 1)} skeleton={3}>
      {({ body }) => (
        <ServiceChanges
          before={toVersion(body)}
          beforeLabel={text.title(revision - 1)}
          after={shown}
          afterLabel={label}
        />
      )}
    </Loaded>
  );
}

function inputOf(project: string, { id }: WholeService, revision: number) {
  return { params: { service_id: id, revision }, query: { project } };
}

function toVersion({ document }: Pick<ServiceRevision, 'document'>): ServiceDraft {
  return toDraft(document as unknown as ServiceDraft);
}
