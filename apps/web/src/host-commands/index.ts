export { useHostChange, useHostQuestion } from './use-host-commands.ts';
