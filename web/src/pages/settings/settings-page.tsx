/** What the workspace works with and who works in it; each tab has an address of its own. */

import type { ComponentType } from "react";
import { Tabs } from "../../parts/tabs.tsx";
import { navigate } from "../../router/place.ts";
import type { PageProps } from "../page.ts";
import { BudgetsTab } from "./budgets-tab.tsx";
import { CareTab } from "./care-tab.tsx";
import { LoginsTab } from "./logins-tab.tsx";
import { ModelsTab } from "./models-tab.tsx";
import { PeopleTab } from "./people-tab.tsx";
import { RedactionTab } from "./redaction-tab.tsx";
import "./settings.css";
import { TokensTab } from "./tokens-tab.tsx";

const TABS = [
  { name: "models", label: "Models" },
  { name: "budgets", label: "Budgets" },
  { name: "people", label: "People and agents" },
  { name: "tokens", label: "Tokens" },
  { name: "logins", label: "Signed in" },
  { name: "redaction", label: "Redaction tester" },
  { name: "care", label: "Backup and doctor" },
] as const;

type TabName = (typeof TABS)[number]["name"];

const BODIES: Readonly<Record<TabName, ComponentType>> = {
  models: ModelsTab,
  budgets: BudgetsTab,
  people: PeopleTab,
  tokens: TokensTab,
  logins: LoginsTab,
  redaction: RedactionTab,
  care: CareTab,
};

export default function SettingsPage({ rest }: PageProps) {
  const chosen = TABS.find(({ name }) => name === rest[0])?.name ?? "models";
  const Body = BODIES[chosen];
  return (
    <>
      <div className="head">
        <h1>Settings</h1>
      </div>
      <Tabs
        label="Settings"
        tabs={TABS}
        chosen={chosen}
        onChoose={(name) => navigate(`/settings/${name}`)}
      />
      <div className="pane grow" role="tabpanel" aria-label={chosen}>
        <div className="scroll settings">
          <Body />
        </div>
      </div>
    </>
  );
}
