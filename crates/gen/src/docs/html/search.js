const box = document.getElementById("search");
const found = document.getElementById("found");
const all = document.getElementById("all");
const fields = all ? JSON.parse(all.textContent) : [];
const rows = [...document.querySelectorAll(".fields tbody tr")];
const MOST = 50;

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter((word) => word);
  const matches = (text) => words.every((word) => text.toLowerCase().includes(word));
  rows.forEach((row) => { row.hidden = !matches(row.id + " " + row.textContent); });
  document.querySelectorAll(".wide").forEach((table) => {
    const own = [...table.querySelectorAll(".fields tbody tr")];
    table.hidden = own.length > 0 && own.every((row) => row.hidden);
  });
  found.replaceChildren();
  for (const [label, target] of words.length ? fields.filter((it) => matches(it[0])).slice(0, MOST) : []) {
    const link = document.createElement("a");
    link.href = target;
    link.textContent = label;
    found.appendChild(document.createElement("li")).appendChild(link);
  }
  found.hidden = !found.children.length;
}

box.addEventListener("input", search);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== box) {
    event.preventDefault();
    box.focus();
  }
});
