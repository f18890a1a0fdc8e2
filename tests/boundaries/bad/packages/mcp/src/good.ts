// breaks nothing
import { Client } from "@modelcontextprotocol/client";
import { ENDINGS } from "@tacklebox/core";
export const kept = [Client, ENDINGS];
