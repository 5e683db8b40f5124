import { UrlTabs } from '../../../ui/index.ts';
import { TrafficRoom } from '../traffic-room.tsx';
import { AuthenticationTab } from './authentication-tab.tsx';
import { BotsTab } from './bots-tab.tsx';
import { ChangesTab } from './changes-tab.tsx';
import { DiscoveriesTab } from './discoveries-tab.tsx';
import { FlagsTab } from './flags-tab.tsx';
import { PiiTab } from './pii-tab.tsx';
import { ScoreTab } from './score-tab.tsx';
import { texts } from './texts.tsx';
import { TransportTab } from './transport-tab.tsx';
import { ZombiesTab } from './zombies-tab.tsx';

const text = texts.tabs;

const TABS = [
  { id: 'score', label: text.score, content: () => <ScoreTab /> },
  { id: 'flags', label: text.flags, content: () => <FlagsTab /> },
  { id: 'new', label: text.discoveries, content: () => <DiscoveriesTab /> },
  { id: 'authentication', label: text.authentication, content: () => <AuthenticationTab /> },
  { id: 'sensitive', label: text.pii, content: () => <PiiTab /> },
  { id: 'zombies', label: text.zombies, content: () => <ZombiesTab /> },
  { id: 'transport', label: text.transport, content: () => <TransportTab /> },
  { id: 'bots', label: text.bots, content: () => <BotsTab /> },
  { id: 'changes', label: text.changes, content: () => <ChangesTab /> },
];

/** The risk of the APIs from nine sides. */
export function RiskPage() {
  return (
    <TrafficRoom title={texts.title} lead={texts.lead}>
      <UrlTabs label={text.title} tabs={TABS} />
    </TrafficRoom>
  );
}
