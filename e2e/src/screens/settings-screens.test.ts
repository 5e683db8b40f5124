import { describeScreens } from './describe-screens.ts';
import { listSettingsScreens } from './settings-screens.ts';

describeScreens(listSettingsScreens);
