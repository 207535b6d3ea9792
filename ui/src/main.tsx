// The explorer's start.
import { render } from "preact";
import { Shell } from "./view/shell.tsx";
import { applyTheme } from "./theme.ts";

applyTheme();
const root = document.getElementById("app");
if (root !== null) {
  root.replaceChildren();
  render(<Shell />, root);
}
