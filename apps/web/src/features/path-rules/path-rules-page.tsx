import { TrafficRoom } from '../inventory/index.ts';
import { PreviewSection } from './preview-section.tsx';
import { RunsSection } from './runs-section.tsx';
import { texts } from './texts.tsx';

/** Rules for the names of endpoints: a preview, and what was renamed. */
export function PathRulesPage() {
  return (
    <TrafficRoom title={texts.title} lead={texts.lead}>
      <PreviewSection />
      <RunsSection />
    </TrafficRoom>
  );
}
