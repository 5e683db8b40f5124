import { routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { Page, UrlTabs } from '../../ui/index.ts';
import { AlertList } from './alert-list.tsx';
import { ChannelList } from './channel-list.tsx';
import { MessageList } from './message-list.tsx';
import { RuleList } from './rule-list.tsx';
import { texts } from './texts.ts';

const text = texts;

export function AlertsPage() {
  const can = useCan();
  const tabs = [
    { id: 'active', label: text.tabs.active, content: () => <AlertList isHistory={false} /> },
    { id: 'history', label: text.tabs.history, content: () => <AlertList isHistory /> },
    { id: 'rules', label: text.tabs.rules, content: () => <RuleList /> },
    ...(can(routes.alertChannel.list)
      ? [
          { id: 'channels', label: text.tabs.channels, content: () => <ChannelList /> },
          { id: 'messages', label: text.tabs.messages, content: () => <MessageList /> },
        ]
      : []),
  ];
  return (
    <Page title={text.title} lead={text.lead} isWide>
      <UrlTabs tabs={tabs} label={text.tabs.label} />
    </Page>
  );
}
