#!/usr/bin/env node
import { program } from './cli';

void program();
