#!/usr/bin/env node
import { launch } from '../../../scripts/launch.mjs';

launch(process.argv.slice(2));
