export { type LogChoice, LogScreen } from './log-screen.tsx';
export { texts as logTexts } from './texts.ts';
