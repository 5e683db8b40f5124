export { ApplianceTab } from './appliance-tab.tsx';
export { texts as applianceTexts } from './texts.ts';
