export { ForwardingTab } from './forwarding-tab.tsx';
export { texts as forwardingTexts } from './texts.ts';
