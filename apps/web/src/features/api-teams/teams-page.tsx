import { Button } from '@mantine/core';
import { routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { formatSearch } from '../../app/url-state.ts';
import { UrlTabs } from '../../ui/index.ts';
import { TrafficRoom } from '../inventory/index.ts';
import { OwnedTable } from './owned-table.tsx';
import { RulesTab } from './rules-tab.tsx';
import { TeamsTab } from './teams-tab.tsx';
import { texts } from './texts.ts';

/** Teams with their endpoints, and the rules that say so. */
export function ApiTeamsPage() {
  const project = useProject();
  return (
    <TrafficRoom
      title={texts.title}
      lead={texts.lead}
      actions={
        <Button
          component="a"
          variant="default"
          href={`${routes.apiOwner.export.path}${formatSearch({ project: project.id })}`}
          download
        >
          {texts.export}
        </Button>
      }
    >
      <UrlTabs
        label={texts.tabs.label}
        tabs={[
          { id: 'teams', label: texts.tabs.teams, content: () => <TeamsTab /> },
          { id: 'endpoints', label: texts.tabs.endpoints, content: () => <OwnedTable /> },
          { id: 'rules', label: texts.tabs.rules, content: () => <RulesTab /> },
        ]}
      />
    </TrafficRoom>
  );
}
