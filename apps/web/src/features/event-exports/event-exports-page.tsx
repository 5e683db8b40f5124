import { TrafficRoom } from '../inventory/index.ts';
import { ExportList } from './export-list.tsx';
import { texts } from './texts.ts';

export function EventExportsPage() {
  return (
    <TrafficRoom title={texts.title} lead={texts.lead}>
      <ExportList />
    </TrafficRoom>
  );
}
