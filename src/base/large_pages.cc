// Memory of programs in large pages, where the system lets those have them that ask for it, and
// back to the system when it is freed.
//
// Traces are gone through from end to end, and to get memory, page by page, can take longer than
// what is done with it, on virtual machines most of all: `check` of an archive of 2·10⁷ events
// takes 101 000 page faults and 3.0 s in small pages, with this 21 000 and 2.2 s. The heap grows by
// several large pages at once, which are asked for before most of them come into use; a large block
// that it has no room for is mapped by itself and begins at a large page. Up to one page more of
// either than was written to is in memory. Left to itself, malloc() keeps ever larger blocks for
// later use once some were freed, and what is then left between them adds up, to a third of the
// memory that `check` of 8 GB of profiles took. Linked into programs, not into the library: whoever
// uses that has a say of his own. Tested by: large_pages_test.cc.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr std::size_t kLargePage = std::size_t{1} << 21;

// Of the heap, up to where large pages were asked for.
std::atomic<char*> heap_end = nullptr;

[[maybe_unused]] const bool is_set_up = [] {
  mallopt(M_MMAP_THRESHOLD, int{kLargePage});
  mallopt(M_TOP_PAD, 4 * int{kLargePage});          // by which the heap grows
  mallopt(M_TRIM_THRESHOLD, 16 * int{kLargePage});  // what it may keep
  heap_end = static_cast<char*>(sbrk(0));
  return true;
}();

// To be called soon after the heap has grown: where a small page is in use already, no large one
// comes any more.
void AskForHeap() {
  auto* const end = static_cast<char*>(sbrk(0));  // known to the process, no call of the system
  if (end == heap_end.load(std::memory_order_relaxed)) return;
  char* const before = heap_end.exchange(end, std::memory_order_relaxed);
  const auto grown = static_cast<std::size_t>(end - before);
  if (before != nullptr && end > before) (void)madvise(before, grown, MADV_HUGEPAGE);
}

void* AllocateSmall(std::size_t size) {
  constexpr std::size_t kSmallPage = 4096;
  void* block = std::malloc(size > 0 ? size : 1);
  if (size >= kSmallPage) AskForHeap();
  return block;
}

void* Allocate(std::size_t size) {
  if (size < kLargePage) return AllocateSmall(size);
  const std::size_t pages = size / kLargePage;
  if (pages >= SIZE_MAX / kLargePage) return nullptr;
  void* block = std::aligned_alloc(kLargePage, (pages + 1) * kLargePage);
  // Where it cannot be, pages are small.
  if (block != nullptr) (void)madvise(block, pages * kLargePage, MADV_HUGEPAGE);
  return block;
}

}  // namespace

// All other forms of `new` but those with an alignment come to this one, and `delete` to free().
void* operator new(std::size_t size) {
  while (true) {
    if (void* block = Allocate(size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
