export { RequestBreakdown } from './breakdown/lazy.tsx';
export { texts as breakdownTexts } from './breakdown/texts.ts';
